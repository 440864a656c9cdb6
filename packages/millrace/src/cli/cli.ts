/** What a command may touch of the outside: passed in, so that a command can be run by a test. */
import { type Paint, paintFor } from "./format/style.ts";

/** Where messages for people go; `process` is one. */
export interface Messages {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly stderr: NodeJS.WriteStream;
}

export interface Cli extends Messages {
  readonly cwd: string;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  /** How this program is called from a shell: `millrace`, `npx millrace`. */
  readonly invokedAs: string;
}

/** Data. Resolves when the bytes have left the process, so that leaving right after loses nothing. */
export function writeData(cli: Cli, text: string): Promise<void> {
  return new Promise((resolve) => {
    const line = text === "" || text.endsWith("\n") ? text : `${text}\n`;
    // A reader that went away (`| head`) is no failure of the run.
    cli.stdout.write(line, () => resolve());
  });
}

/** False: whoever read the data has gone away (`| head`). */
export function reads({ stdout }: Cli): boolean {
  return !stdout.destroyed && stdout.writable;
}

/** Everything for people: messages, progress, warnings. */
export function say(cli: Messages, text: string): void {
  if (text !== "") cli.stderr.write(text.endsWith("\n") ? text : `${text}\n`);
}

export function outPaint(cli: Cli): Paint {
  return paintFor(cli.stdout, cli.env);
}

export function errPaint(cli: Messages): Paint {
  return paintFor(cli.stderr, cli.env);
}
