// Runs of a thread that began at one moment, or by clocks that disagree, changed places in an archive, which went by time and id.
import { expect, test } from "vitest";
import { exportRuns, graph, importRuns, memory, op, openEngine, type Ref } from "../../src/index.ts";
import { VirtualClock } from "../acceptance/support/clock.ts";

const fail = op("fail", async (_input: { n: number }): Promise<{ n: number }> => {
  throw new Error("out of order");
});
const turn = graph("turn", (input: Ref<{ n: number }>) => ({ n: fail({ n: input.n }).n }));

test("B16 the runs of a thread come back in the order in which they came to it", async () => {
  const store = memory();
  // Time stands still.
  const clock = new VirtualClock();
  const engine = await openEngine({ backend: store, graphs: [turn], clock });
  const ids = ["delta", "alpha", "charlie", "bravo"];
  for (const id of ids) await (await engine.start(turn, { n: 1 }, { id, thread: "t" })).result();
  await (await engine.start(turn, { n: 1 }, { id: "azure", thread: "another" })).result();
  await engine.close();

  const source = store.another();
  await source.open("looker");
  const target = memory();
  await target.open("importer");
  const { imported } = await importRuns(target, () => exportRuns(source));
  expect(imported.filter((id) => id !== "azure")).toEqual(ids);
  const listed = await target.list({ thread: "t", limit: 10 });
  expect(listed.map(({ id }) => id).reverse()).toEqual(ids);
  await source.close();
  await target.close();
});
