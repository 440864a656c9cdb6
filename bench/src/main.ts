/** `npm run bench`: one line per figure, against its floor and its limit. */
import { figuresText, parseCommand, usage, type Command } from "./command-line.ts";
import { fsyncLatency, fsyncText } from "./harness/disk.ts";
import { brokenLimits, type Figure, type Result } from "./harness/figure.ts";
import { jsonLine } from "./harness/json-line.ts";
import { machineText } from "./harness/machine.ts";
import { runFigure } from "./harness/run-figure.ts";
import { tableOf } from "./harness/table.ts";

interface Row {
  readonly figure: Figure;
  readonly result: Result;
}

async function main(args: readonly string[]): Promise<number> {
  let command: Command;
  try {
    command = parseCommand(args);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return 2;
  }
  if (command.action === "help") console.log(`${usage}\n${figuresText()}`);
  else if (command.action === "list") console.log(command.figures.map(({ name }) => name).join("\n"));
  else return measureAll(command);
  return 0;
}

async function measureAll(command: Command): Promise<number> {
  const { json, check, quick, folder } = command;
  const say = json ? console.error : console.log;
  say(machineText());
  say(fsyncText(fsyncLatency(folder, quick ? 100 : 1_000)));
  const rows: Row[] = [];
  let crashed = 0;
  for (const figure of command.figures) {
    process.stderr.write(`measuring ${figure.name} …\n`);
    try {
      const result = await runFigure(figure.name, { quick, folder });
      rows.push({ figure, result });
      if (json) console.log(jsonLine(figure, result));
    } catch (error) {
      crashed++;
      console.error(error instanceof Error ? error.message : String(error));
    }
  }
  if (rows.length > 0) say(`\n${tableOf(rows)}\n\n${notesText(rows)}`);
  const over = rows.filter(({ figure, result }) => brokenLimits(figure, result).length > 0).length;
  return crashed > 0 || (check && over > 0) ? 1 : 0;
}

function notesText(rows: readonly Row[]): string {
  return rows
    .map(({ figure, result }) => `${figure.name} (${result.repeats} repeats): ${result.notes.join("; ")}`)
    .join("\n");
}

process.exitCode = await main(process.argv.slice(2));
