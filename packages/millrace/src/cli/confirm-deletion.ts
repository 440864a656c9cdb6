import { createInterface } from "node:readline/promises";
import type { Cli } from "./cli.ts";
import { CliFailure } from "./errors/failure.ts";

/** Asks at the terminal; where there is none nothing is deleted. */
export async function confirmDeletion({ stdin, stderr }: Cli, what: string, hint: string): Promise<void> {
  const refused = new CliFailure("NotConfirmed", `${what} were not deleted: nobody said yes`, { hint });
  if (!stdin.isTTY) throw refused;
  const asking = createInterface({ input: stdin, output: stderr });
  const answer = await asking.question(`delete ${what}? [y/N] `).finally(() => asking.close());
  if (!/^y(es)?$/i.test(answer.trim())) throw refused;
}
