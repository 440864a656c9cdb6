/** `--set node=json`, `--set cell.name=json` and `--input json`: what is different in a fork. */
import type { ForkPatch } from "@millrace/core";
import type { Cli } from "../cli.ts";
import { CliFailure } from "../errors/failure.ts";
import { readInput } from "./read-input.ts";

const ofCell = "cell.";

interface Given {
  readonly set?: readonly string[];
  readonly input?: string;
}

/** Undefined: nothing is. */
export async function readPatch({ set = [], input }: Given, cli: Cli): Promise<ForkPatch | undefined> {
  const parts = set.map(split);
  if ([...parts.map(({ text }) => text), input].filter((text) => text === "-").length > 1)
    throw malformed("standard input can be read once only", "put all but one into files: name=@file.json");
  const outputs: [string, unknown][] = [];
  const cells: [string, unknown][] = [];
  for (const { name, text } of parts) {
    const what = { name: `value of ${name}`, option: `--set ${name}=…`, file: `--set ${name}=@file.json` };
    const value = await readInput(text, cli, what);
    if (name.startsWith(ofCell)) cells.push([name.slice(ofCell.length), value]);
    else outputs.push([name, value]);
  }
  if (parts.length === 0 && input === undefined) return undefined;
  return {
    ...(input !== undefined && { input: await readInput(input, cli) }),
    ...(outputs.length > 0 && { outputs: Object.fromEntries(outputs) }),
    ...(cells.length > 0 && { cells: Object.fromEntries(cells) }),
  };
}

function split(text: string, index: number, all: readonly string[]): { readonly name: string; readonly text: string } {
  const cut = text.indexOf("=");
  if (cut < 1)
    throw malformed(
      `--set ${JSON.stringify(text)} is not name=json`,
      `write --set '<node>={"key":1}' or --set cell.<name>=0`,
    );
  const name = text.slice(0, cut).trim();
  if (all.slice(0, index).some((other) => other.slice(0, other.indexOf("=")).trim() === name))
    throw malformed(`--set names ${name} twice`, "give one value for each");
  return { name, text: text.slice(cut + 1) };
}

function malformed(message: string, hint: string): CliFailure {
  return new CliFailure("InputMalformed", message, { hint });
}
