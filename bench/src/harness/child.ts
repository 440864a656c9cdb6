/** The process of one figure: `child.ts <figure> <quick|full> <folder>`; sends its result to the parent. */
import { findFigure } from "../figures/index.ts";
import { fsyncLatency, fsyncText } from "./disk.ts";
import type { Figure, Result, Settings } from "./figure.ts";
import { loadAverage } from "./machine.ts";

const [name = "", effort = "quick", folder = "."] = process.argv.slice(2);

async function measure(figure: Figure, settings: Settings): Promise<Result> {
  const measured = await figure.measure(settings);
  const notes = [...measured.notes];
  if (figure.durable === true) notes.unshift(fsyncText(fsyncLatency(settings.folder, settings.quick ? 50 : 500)));
  return { ...measured, notes, name: figure.name, load: loadAverage() };
}

const result = await measure(findFigure(name), { quick: effort === "quick", folder });
process.send?.(result, () => process.exit(0));
