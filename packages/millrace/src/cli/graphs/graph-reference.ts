/** `<file#graph>` as typed: which file, and which graph in it. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { CliFailure } from "../errors/failure.ts";

export interface GraphReference {
  /** As typed, for messages and for the command that resumes. */
  readonly text: string;
  readonly file: string;
  readonly path: string;
  /** Export name or declared name; undefined: the module's only graph. */
  readonly graph: string | undefined;
}

export function parseGraphReference(text: string, cwd: string): GraphReference {
  const hash = text.lastIndexOf("#");
  // A file whose own name holds a # and that exists is that file.
  const whole = hash < 0 || existsSync(resolve(cwd, text));
  const file = whole ? text : text.slice(0, hash);
  const graph = whole ? undefined : text.slice(hash + 1);
  if (file === "" || graph === "") {
    throw new CliFailure("GraphReferenceInvalid", `${JSON.stringify(text)} does not name a graph`, {
      hint: "write the file, a # and the graph: flows/inbox.ts#inbox",
    });
  }
  return { text, file, path: resolve(cwd, file), graph };
}
