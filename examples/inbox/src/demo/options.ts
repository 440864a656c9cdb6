import { resolve } from "node:path";
import { parseArgs } from "node:util";

export interface DemoOptions {
  /** Absolute. */
  readonly dir: string;
  /** Take only each n-th message. */
  readonly every: number;
  /** Kill the worker half-way. */
  readonly crash: boolean;
  readonly durability: Durability;
  /** A summary for programs on stdout; everything for people goes to stderr. */
  readonly json: boolean;
}

export type Durability = "async" | "sync";

/** A command line nobody can follow: exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

const defaultDir = resolve(import.meta.dirname, "../../.demo");

export const help = `Usage: npm run demo -- [options]

Triages a real mailbox of 6,046 messages in a worker process, kills that process half-way with SIGKILL, lets a new one
resume, and shows that nothing was lost, nothing finished ran twice, and the report is that of an uninterrupted run.

Options:
  --no-crash            let the worker live and run nothing beside it: the job alone
  --every <n>           take only each n-th message (default: 1)
  --dir <folder>        where the database and the report go (default: examples/inbox/.demo);
                        what an earlier demo left there is replaced
  --durability <mode>   async (default) or sync: what the README compares
  --json                print a summary as JSON on stdout, everything else on stderr
  --help                print this

Examples:
  npm run demo
  npm run demo -- --every 10
  npm run demo -- --no-crash --durability sync
  npm run --silent demo -- --json > summary.json

Exit codes: 0 everything held, 1 something did not (it says what), 2 usage,
6 stopped by Ctrl-C and resumable, 130 stopped at once by a second Ctrl-C.
`;

/** Folders are relative to where the user is, which `npm run` passes on. Returns "help" when that is asked for. */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): DemoOptions | "help" {
  const values = parse(args);
  if (values.help === true) return "help";
  const { dir, json = false, "no-crash": noCrash = false, durability = "async", every = "1" } = values;
  if (durability !== "async" && durability !== "sync") {
    throw new UsageError(`--durability is async or sync, not ${JSON.stringify(durability)}`);
  }
  if (!/^[1-9]\d{0,3}$/.test(every))
    throw new UsageError(`--every takes a whole number from 1 to 9999, not ${JSON.stringify(every)}`);
  return {
    dir: dir === undefined ? defaultDir : resolve(env["INIT_CWD"] ?? process.cwd(), dir),
    every: Number(every),
    crash: !noCrash,
    durability,
    json,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        "no-crash": { type: "boolean" },
        every: { type: "string" },
        dir: { type: "string" },
        durability: { type: "string" },
        json: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
