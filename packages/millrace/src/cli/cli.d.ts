/** What a command may touch of the outside: passed in, so that a command can be run by a test. */
import { type Paint } from "./format/style.ts";
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
export declare function writeData(cli: Cli, text: string): Promise<void>;
/** Everything for people: messages, progress, warnings. */
export declare function say(cli: Messages, text: string): void;
export declare function outPaint(cli: Cli): Paint;
export declare function errPaint(cli: Messages): Paint;
