/** The file in which bodies say, one line each, that they began and that they ended. */
import { existsSync, openSync, readFileSync, writeSync } from "node:fs";
import type { Note } from "./jobs.ts";

export interface Effect {
  readonly life: number;
  readonly moment: "start" | "end";
  readonly runId: string;
  readonly path: string;
  readonly attempt: number;
  readonly key: string;
}

/** Appends with one write per line: what was written before a SIGKILL stays written. */
export function notesInto(file: string, life: number, first: () => void): Note {
  const fd = openSync(file, "a");
  let silent = true;
  return (moment, ctx) => {
    writeSync(fd, `${life} ${moment} ${ctx.runId} ${ctx.path} ${ctx.attempt} ${ctx.idempotencyKey} ${process.pid}\n`);
    if (silent) first();
    silent = false;
  };
}

export function effectsIn(file: string): readonly Effect[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => {
      const [life, moment, runId = "", path = "", attempt, key = ""] = line.split(" ");
      return { life: Number(life), moment: moment as Effect["moment"], runId, path, attempt: Number(attempt), key };
    });
}
