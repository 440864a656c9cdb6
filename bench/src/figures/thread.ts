/** How much a long conversation stores. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { append, cell, graph, op, openEngine, push, read, type Ref } from "@millrace/core";
import { sqlite } from "@millrace/core/node";
import type { Figure } from "../harness/figure.ts";
import { numbersOf } from "../harness/pairs.ts";

const turns = 200;
const size = 1_000;

const said = cell("said", append<string>(), { carry: true });
const count = op("count", ({ said: all }: { said: readonly string[] }) => ({ n: all.length }));

const talk = graph("talk", (input: Ref<{ text: string }>) => {
  const heard = push(said, input.text);
  return { n: count({ said: read(said, { after: [heard] }) }).n };
});

export const thread200: Figure = {
  name: "thread-200",
  title: "bytes of journals and carried rows of a thread of 200 runs, each of which pushes 1 kB to a carried list",
  unit: "B",
  limits: [{ of: "ratio", atMost: 3 }],
  floor: "the bytes of the 200 texts",
  blind: "time; what SQLite adds around the rows (the size of its file is in the notes)",
  async measure({ folder }) {
    const file = join(folder, "thread.db");
    const backend = sqlite(file);
    const engine = await openEngine({ backend });
    for (let turn = 1; turn <= turns; turn++) {
      const { n } = await engine.run(talk, { text: String(turn).padEnd(size, "x") }, { thread: "t" });
      if (n !== turn) throw new Error(`turn ${turn} saw ${n} texts`);
    }
    const { journalBytes } = await backend.stats();
    let carried = 0;
    for (let n = 1; n <= turns; n++) carried += (await backend.carried("t", n)).at(-1)?.bytes.byteLength ?? 0;
    await engine.close();
    return {
      ...numbersOf([journalBytes + carried], [turns * size]),
      notes: [`${journalBytes} B of journals, ${carried} B carried`, `the database file: ${statSync(file).size} B`],
    };
  },
};
