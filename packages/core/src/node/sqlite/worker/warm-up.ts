import type { Command, CommandName, CommandOf, Commands, Request, RequestMessage } from "../protocol.ts";
import { nobody } from "./answers.ts";

/** No run and no thread is called so. */
const none = "";

/**
 * What taking up a run asks for, asked for what is not there: a thread that has just begun compiles each function, each statement and
 * its second handle when they are used first, and whoever resumes a run would wait for all of them one after the other.
 */
export const warmUp: RequestMessage = {
  requests: [
    command("get", { runId: none }),
    command("claim", { runId: none, statuses: ["running"], limit: 1, at: 0 }),
    command("carried", { thread: none, upTo: null, from: 0 }),
    command("read", { runId: none, fromSeq: 1 }),
    command("inbox", { runId: none }),
    [nobody, 0, none, 0, 1, 1, 0, 0],
    [nobody, 0, none, 0, 1, 1, 0, 0, "running", false, null, null, null],
  ],
  bytes: new Uint8Array(),
};

function command<Name extends CommandName>(name: Name, input: Commands[Name]["takes"]): Request {
  return { id: nobody, byteLength: 0, name, input } satisfies CommandOf<Name> as unknown as Command;
}
