/** Wires the process to the commands. Importing this module runs the command line. */
import { Console } from "node:console";
import type { Cli } from "./cli.ts";
import { invokedAs } from "./process/invocation.ts";
import { guardProcessEnd } from "./process/process-end.ts";
import { runProgram } from "./program.ts";
import { catchStrayErrors } from "./errors/stray-errors.ts";

const { stdin, stdout, stderr, env, platform } = process;
const cli: Cli = {
  cwd: process.cwd(),
  env,
  platform,
  stdin,
  stdout,
  stderr,
  invokedAs: invokedAs(process.argv[1] ?? "", env, platform),
};

// stdout carries data only: what user code logs goes where messages go.
globalThis.console = new Console({ stdout: stderr, stderr });
// A reader that went away (`| head`) is no reason to lose the run.
for (const stream of [stdout, stderr]) stream.on("error", () => {});

const end = guardProcessEnd((text) => stderr.write(text));
catchStrayErrors(cli, end);
// Not awaited at the top level: whatever happens, `leave` or the guard decides how the process ends.
void runProgram(process.argv.slice(2), cli, end).then((code) => stdout.write("", () => end.leave(code)));
