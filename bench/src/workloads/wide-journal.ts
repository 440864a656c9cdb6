/** The journal of a run that was stopped with 100,000 records written and 100 bodies in flight. */
import { each, graph, op, openEngine, type Graph, type Ref, type Stream } from "@millrace/core";
import { sqlite } from "@millrace/core/node";

/** As an op of a real pipeline might give it: about 150 bytes of JSON. */
export interface Page {
  readonly id: number;
  readonly url: string;
  readonly title: string;
  readonly score: number;
  readonly tags: readonly string[];
}

export function pageOf(id: number, stage: number): Page {
  return {
    id,
    url: `https://example.org/archive/${id}/page-${stage}.html`,
    title: `Page ${id}: a title of usual length`,
    score: id / 7,
    tags: ["news", "archive"],
  };
}

const stages = 3;
export const width = 100;
export const wideRunId = "wide";

type Input = { readonly from: number; readonly to: number };

export interface WideGraph {
  readonly graph: Graph<Input, { pages: Stream<Page> }>;
  readonly items: number;
  /** Bodies of the last stage that began and did not end, since the count was last set. */
  readonly held: { count: number };
}

/** `records` outputs are durable when the last `width` items are in their last stage, where they stay. */
export function wideGraph(records: number): WideGraph {
  const items = Math.ceil((records + width) / stages);
  const held = { count: 0 };
  const numbers = op("numbers", ({ from, to }: Input) => ({
    ids: Array.from({ length: to - from }, (_, i) => from + i),
  }));
  const fetch = op("fetch", async ({ id }: { id: number }) => pageOf(id, 0));
  const parse = op("parse", async ({ page }: { page: Page }) => pageOf(page.id, 1));
  const index = op("index", ({ page }: { page: Page }): Page | Promise<Page> => {
    if (page.id < items - width) return pageOf(page.id, 2);
    held.count++;
    return new Promise<Page>(() => undefined);
  });
  const built = graph("wide", (input: Ref<Input>) => {
    const id = each(numbers({ from: input.from, to: input.to }).ids);
    const fetched = fetch({ id }, { parallel: width });
    const parsed = parse({ page: fetched }, { parallel: width });
    return { pages: index({ page: parsed }, { parallel: width }) };
  });
  return { graph: built, items, held };
}

/** Writes the journal and stops as a process that is closed stops: nothing is finished or recorded any more. */
export async function writeWideJournal(file: string, wide: WideGraph): Promise<void> {
  const backend = sqlite(file, { synchronous: "off" });
  const engine = await openEngine({ backend, durability: "sync", runConcurrency: width * stages });
  const handle = await engine.start(wide.graph, { from: 0, to: wide.items }, { id: wideRunId });
  handle.result().catch(() => undefined);
  const durable = wide.items * stages - width;
  while (wide.held.count < width || ((await backend.get(wideRunId))?.lastSeq ?? 0) < durable)
    await new Promise((resolve) => setTimeout(resolve, 20));
  await engine.close();
}

/** The values of the journal as JSON, one text each. */
export function wideValues({ items }: WideGraph): string[] {
  const texts: string[] = [];
  for (let id = 0; id < items; id++) {
    for (let stage = 0; stage < stages; stage++)
      if (stage < 2 || id < items - width) texts.push(JSON.stringify(pageOf(id, stage)));
  }
  return texts;
}
