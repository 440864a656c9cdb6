/** Millrace beside LangGraph.js: `npm run bench -- [--only a,b] [--quick] [--json] [--check] [--folder path]`. */
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { fsyncLatency, fsyncText } from "../../src/harness/disk.ts";
import { machineText } from "../../src/harness/machine.ts";
import { runFigure } from "../../src/harness/run-figure.ts";
import { ratioOf, type Comparison, type Result } from "./comparison.ts";
import { comparisons } from "./figures/index.ts";
import { jsonLine, tableOf } from "./table.ts";

const child = fileURLToPath(new URL("child.ts", import.meta.url));

const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    folder: { type: "string", default: tmpdir() },
  },
});

process.exitCode = await measureAll(options.only?.split(",") ?? comparisons.map(({ name }) => name));

async function measureAll(names: readonly string[]): Promise<number> {
  const { json, quick, check, folder } = options;
  const say = json ? console.error : console.log;
  say(machineText());
  say(fsyncText(fsyncLatency(folder, quick ? 100 : 1_000)));
  const rows: { comparison: Comparison; result: Result }[] = [];
  for (const name of names) {
    const comparison = comparisons.find((one) => one.name === name);
    if (comparison === undefined)
      throw new Error(`no ${name}; there are ${comparisons.map((one) => one.name).join(", ")}`);
    process.stderr.write(`measuring ${name} …\n`);
    const result = await runFigure<Result>(name, { quick, folder }, child);
    rows.push({ comparison, result });
    if (json) console.log(jsonLine(comparison, result));
  }
  say(`\n${tableOf(rows)}\n`);
  for (const { comparison, result } of rows)
    say(`${comparison.name} (${result.repeats} repeats): ${comparison.title}; ${result.notes.join("; ")}`);
  const missed = rows.some(({ comparison, result }) => ratioOf(result) < comparison.target);
  return check && missed ? 1 : 0;
}
