/** The process of one comparison: `child.ts <name> <quick|full> <folder>`; sends its result to the parent. */
import { loadAverage } from "../../src/harness/machine.ts";
import type { Result } from "./comparison.ts";
import { comparisons } from "./figures/index.ts";

const [name = "", effort = "quick", folder = "."] = process.argv.slice(2);

const before = loadAverage();
const measured = await comparisons.find((one) => one.name === name)!.measure({ quick: effort === "quick", folder });
const after = loadAverage();
const load = { least: Math.min(before, after), greatest: Math.max(before, after) };
const result: Result = { ...measured, load };
process.send?.(result, () => process.exit(0));
