/** 10,000 items through three async ops, one item at a time in each, the stages overlapping. */
import { collect, each, graph, op, openEngine, type Graph, type Item, type Ref } from "@millrace/core";
import type { Figure, Settings } from "../harness/figure.ts";
import { effort, measurePairs, timesOf } from "../harness/pairs.ts";
import { expectSame } from "../harness/same.ts";
import { median } from "../harness/statistics.ts";
import { asyncBody, asyncOps, many, type Step } from "../workloads/step.ts";

const count = 10_000;
const stages = 3;

type Input = { readonly items: readonly Step[] };
type Body = (step: Step) => Promise<Step>;

function stagesOf(item: Ref<Step, Item>): Ref<Step, Item> {
  let at = item;
  for (const step of asyncOps(stages)) at = step({ x: at.x });
  return at;
}

function fromArray(): Graph<Input, { list: Step[] }> {
  return graph("fromArray", (input: Ref<Input>) => ({ list: collect(stagesOf(each(input.items))) }));
}

function fromGenerator(): Graph<Input, { list: Step[] }> {
  const source = op("source", async function* ({ items }: Input): AsyncGenerator<Step> {
    for (const item of items) yield item;
  });
  return graph("fromGenerator", (input: Ref<Input>) => ({ list: collect(stagesOf(source({ items: input.items }))) }));
}

/** A stage that asks for its next item before it works on this one, so that the stages before it work meanwhile. */
async function* overlapping(source: AsyncIterable<Step>, body: Body): AsyncGenerator<Step> {
  const iterator = source[Symbol.asyncIterator]();
  let next = iterator.next();
  for (;;) {
    const { done, value } = await next;
    if (done === true) return;
    next = iterator.next();
    yield await body(value);
  }
}

/** The same in a plain `for await`: only one stage works at a time. */
async function* inTurn(source: AsyncIterable<Step>, body: Body): AsyncGenerator<Step> {
  for await (const item of source) yield await body(item);
}

type Stage = typeof overlapping;

async function* yielding(items: readonly Step[]): AsyncGenerator<Step> {
  for (const item of items) yield item;
}

/** What a `for await` makes of an array, with nothing generated. */
function iterated(items: readonly Step[]): AsyncIterable<Step> {
  return {
    [Symbol.asyncIterator]() {
      let at = 0;
      return {
        next(): Promise<IteratorResult<Step>> {
          const value = items[at++];
          return Promise.resolve(value === undefined ? { done: true, value } : { done: false, value });
        },
      };
    },
  };
}

async function pipeline(source: AsyncIterable<Step>, stage: Stage, bodies: readonly Body[]): Promise<{ list: Step[] }> {
  let at = source;
  for (const body of bodies) at = stage(at, body);
  const list: Step[] = [];
  for await (const item of at) list.push(item);
  return { list };
}

type Source = (items: readonly Step[]) => AsyncIterable<Step>;

async function measure(settings: Settings, streamed: Graph<Input, { list: Step[] }>, source: Source) {
  const engine = await openEngine();
  const bodies = many(stages, asyncBody);
  const items = Array.from({ length: count }, (_, x) => ({ x }));
  const units = count * stages;
  const ours = { units, run: () => engine.run(streamed, { items }) };
  const sideOf = (stage: Stage) => ({ units, run: () => pipeline(source(items), stage, bodies) });
  const floor = sideOf(overlapping);
  expectSame(await ours.run(), await floor.run());
  const given = effort(settings, { repeats: 21 });
  const pairs = await measurePairs(ours, floor, given);
  const plain = await measurePairs(sideOf(inTurn), floor, { ...given, repeats: Math.min(7, given.repeats) });
  return {
    ...timesOf(pairs),
    notes: [`stages in a plain for await, which do not overlap: ${median(plain.ours).toFixed(0)} ns per op`],
  };
}

const blind = "ops that really wait, `parallel` above 1, back-pressure (the default buffer of 1,024 never fills here)";

export const streamOfArray: Figure = {
  name: "stream-3x10000",
  title: "time per op of 10,000 items of an array through three async ops into a collect, without a backend",
  unit: "ns",
  limits: [{ of: "ratio", atMost: 1.8 }],
  floor:
    "three async-generator stages over an array, each asking for its next item before it works on this one, so that they overlap as ours do; the results in an array",
  blind,
  measure: (settings) => measure(settings, fromArray(), iterated),
};

export const streamOfGenerator: Figure = {
  name: "stream-gen-3x10000",
  title: "time per op of 10,000 items of an async generator through three async ops into a collect, without a backend",
  unit: "ns",
  limits: [{ of: "ratio", atMost: 2.5 }],
  floor: "the floor of stream-3x10000 over an async generator",
  blind,
  measure: (settings) => measure(settings, fromGenerator(), yielding),
};
