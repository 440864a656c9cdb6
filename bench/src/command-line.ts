/** What `npm run bench` may be told. */
import { tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { figures } from "./figures/index.ts";
import type { Figure } from "./harness/figure.ts";
import { limitText } from "./harness/table.ts";

export interface Command {
  readonly action: "measure" | "list" | "help";
  readonly figures: readonly Figure[];
  readonly json: boolean;
  readonly quick: boolean;
  readonly check: boolean;
  readonly folder: string;
}

/** @throws Error for an unknown option or figure; its message is for people. */
export function parseCommand(args: readonly string[]): Command {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string" },
      json: { type: "boolean", default: false },
      quick: { type: "boolean", default: false },
      check: { type: "boolean", default: false },
      folder: { type: "string", default: tmpdir() },
      list: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const { json, quick, check, folder } = values;
  const action = values.help ? "help" : values.list ? "list" : "measure";
  return { action, figures: select(values.only), json, quick, check, folder };
}

function select(only: string | undefined): readonly Figure[] {
  if (only === undefined) return figures;
  const asked = only.split(",").map((name) => name.trim());
  const unknown = asked.filter((name) => !figures.some((figure) => figure.name === name));
  if (unknown.length > 0) {
    throw new Error(`no figure ${unknown.join(", ")}; there are ${figures.map(({ name }) => name).join(", ")}`);
  }
  return figures.filter(({ name }) => asked.includes(name));
}

export const usage = `Measures Millrace against hand-written floors in the same run.

usage: npm run bench -- [options]

  --only <a,b>       only these figures
  --quick            few repeats: shows that everything runs, not how fast
  --json             one object per figure and line on stdout: name, value, unit, floor, ratio; all else on stderr
  --check            exit 1 when a figure is over its limit
  --folder <path>    where databases are made; default the system's temporary folder
  --list             the names of the figures
  --help             this

examples:
  npm run bench
  npm run bench -- --only sync-op,async-op
  npm run bench -- --only durable-full-50 --folder /mnt/disk
  npm run bench -- --quick --json | jq .ratio

Exit codes: 0 measured, 1 a figure crashed (or, with --check, is over its limit), 2 usage.
`;

/** Every figure with what its floor is and what it leaves out. */
export function figuresText(): string {
  return figures
    .map(({ name, title, unit, limits, floor, blind }) => {
      const bounds = limits.map((limit) => limitText(limit, unit)).join(", ");
      return `${name} (${bounds})\n  ${title}\n  floor: ${floor}\n  not measured: ${blind}\n`;
    })
    .join("\n");
}
