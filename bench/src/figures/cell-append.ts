/** How much a growing cell writes. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { append, cell, derive, each, graph, op, openEngine, push, read, type Ref } from "@millrace/core";
import { sqlite } from "@millrace/core/node";
import type { Figure } from "../harness/figure.ts";
import { numbersOf } from "../harness/pairs.ts";
import { blobBytes, recorded, rowBytes } from "../workloads/recorded-backend.ts";

const pushes = 1_000;
const size = 1_024;

const say = op("say", async ({ turn }: { turn: number }) => ({ text: String(turn).padEnd(size, "x") }));

const talk = graph("talk", (input: Ref<{ turns: readonly number[] }>) => {
  const log = cell("log", append<string>());
  const said = say({ turn: each(input.turns) });
  const pushed = push(log, said.text);
  return { length: derive(read(log, { after: [pushed] }), (texts) => texts.length) };
});

export const cellAppend: Figure = {
  name: "cell-append-1000",
  title: "bytes of the journal of a run in which 1,000 ops give 1 KiB each and each is pushed to one append() cell",
  unit: "B",
  limits: [{ of: "value", atMost: 3_000_000 }],
  floor: "the bytes of the 1,000 values",
  blind: "time; what SQLite adds around the rows (the size of its file is in the notes)",
  async measure({ folder }) {
    const file = join(folder, "cell.db");
    const { backend, journal } = recorded(sqlite(file));
    const engine = await openEngine({ backend });
    const { length } = await engine.run(talk, { turns: Array.from({ length: pushes }, (_, turn) => turn) });
    await engine.close();
    if (length !== pushes) throw new Error(`the cell holds ${length} values, and not ${pushes}`);
    const blobs = blobBytes(journal);
    return {
      ...numbersOf([rowBytes(journal) + blobs], [pushes * size]),
      notes: [`${blobs} B of it in blobs`, `the database file: ${statSync(file).size} B`],
    };
  },
};
