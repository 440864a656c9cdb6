import { MillraceError } from "../../base/error.ts";
import { nearest } from "../../base/name.ts";
import type { StreamMode, StreamOptions } from "./events.ts";

const streamModes: readonly StreamMode[] = ["updates", "values", "tasks", "custom", "interrupts", "output"];
const streamOptions = ["after", "cancelOnBreak", "buffer", "signal"];

export function checkModes(modes: StreamMode | readonly StreamMode[]): ReadonlySet<StreamMode> {
  const list: readonly StreamMode[] = typeof modes === "string" ? [modes] : modes;
  if (!Array.isArray(list) || list.length === 0)
    throw wrong("a stream needs one mode or several", `known modes: ${streamModes.join(", ")}`);
  for (const mode of list) if (!streamModes.includes(mode)) throw unknown("mode", String(mode), streamModes);
  return new Set(list);
}

export function checkStreamOptions(options: StreamOptions): void {
  for (const key of Object.keys(options)) if (!streamOptions.includes(key)) throw unknown("option", key, streamOptions);
  const { after } = options;
  if (typeof after === "object") {
    checkNumber("after.seq", after.seq, 0);
    checkNumber("after.part", after.part, 0);
  } else checkNumber("after", after, 0);
  checkNumber("buffer", options.buffer, 1);
}

function checkNumber(name: string, value: number | undefined, least: number): void {
  if (value !== undefined && !(Number.isInteger(value) && value >= least))
    throw wrong(`${name} must be a whole number of at least ${least}, not ${String(value)}`);
}

function unknown(what: string, name: string, known: readonly string[]): MillraceError {
  const close = nearest(name, known);
  return wrong(
    `there is no stream ${what} "${name}"${close === undefined ? "" : `; did you mean "${close}"?`}`,
    `known ${what}s: ${known.join(", ")}`,
  );
}

function wrong(message: string, hint?: string): MillraceError {
  return new MillraceError("InvalidOption", message, { hint });
}
