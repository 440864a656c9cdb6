/** Commands as they can be pasted into the shell that started this one. */
import { basename } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** How this program was called: through `npx`, as an installed command, or from its source file. */
export function invokedAs(script: string, env: Environment, platform: string): string {
  if (env["npm_command"] === "exec") return "npx millrace";
  return basename(script) === "main.ts" ? `node ${quote(script, platform)}` : "millrace";
}

export interface RunCommand {
  readonly invokedAs: string;
  readonly runId: string;
  /** Undefined: without it the command leaves what it says to whoever has the graph. */
  readonly graph?: string | undefined;
  readonly db: string;
  readonly durability?: string | undefined;
  readonly platform: string;
}

export function resumeCommand(command: RunCommand): string {
  return onRun(command, ["resume", command.runId]);
}

/** The answer itself is left to whoever pastes it. */
export function answerCommand(command: RunCommand, question: string): string {
  return onRun(command, ["answer", command.runId, question, "--value", "<json>"]);
}

function onRun(command: RunCommand, first: readonly string[]): string {
  const words = [...first, ...(command.graph === undefined ? [] : ["--graph", command.graph]), "--db", command.db];
  if (command.durability !== undefined) words.push("--durability", command.durability);
  return `${command.invokedAs} ${words.map((word) => quote(word, command.platform)).join(" ")}`;
}

/** POSIX single quotes, or double quotes where the shell is `cmd` or PowerShell. */
export function quote(word: string, platform: string): string {
  if (platform === "win32") return /^[\w@%+=:,./\\#-]+$/.test(word) ? word : `"${word.replaceAll('"', '\\"')}"`;
  return /^[\w@%+=:,./-][\w@%+=:,./#-]*$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
