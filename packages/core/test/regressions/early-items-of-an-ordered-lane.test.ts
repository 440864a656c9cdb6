import { expect, test } from "vitest";
import { collect, derive, filter, graph, memory, op, when, type Ref } from "../../src/index.ts";
import { planOf } from "../../src/build/plan-of.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import type { RunState } from "../../src/state/run-state.ts";
import { openContexts } from "../../src/state/walk.ts";
import { readJournal } from "../../src/testing/simulate/journal.ts";
import { interpret } from "../../src/testing/simulate/verdict.ts";
import { open } from "../acceptance/support/engines.ts";
import { eventually, gate } from "../acceptance/support/gate.ts";

/** The most that lanes keep of items whose turn has not come. */
function kept(run: RunState): number {
  let most = 0;
  for (const context of openContexts(run.root))
    for (const { lanes } of context.streams ?? [])
      for (const lane of lanes) most = Math.max(most, (lane?.early?.size ?? 0) + (lane?.gaps?.size ?? 0));
  return most;
}

const items = 900;
const buffer = 5;

function stage() {
  const door = gate();
  const seen = { made: 0, took: [] as number[] };
  const count = op("count", async function* ({ n }: { n: number }) {
    for (let i = 0; i < n; i++) {
      seen.made++;
      yield { i };
    }
  });
  const firstHangs = op("firstHangs", async ({ i }: { i: number }) => {
    if (i === 0) await door.opened;
    return { i };
  });
  const take = op("take", async ({ i }: { i: number }) => {
    seen.took.push(i);
    return { i };
  });
  const hangs = { parallel: 4, buffer } as const;
  return { door, seen, count, firstHangs, take, hangs };
}

const wantedOnes = [0, items - 3, items - 2, items - 1];

test.each(["an op per item", "an op in an arm", "a stream that drops its oldest"] as const)(
  "K5 what an ordered lane keeps behind a slow item is bounded by the stream's buffer, for %s",
  async (where) => {
    const { door, seen, count, firstHangs, take, hangs } = stage();
    const isWanted = (n: number): boolean => n === 0 || n > items - 4;
    const g = graph("lane", (input: Ref<{ n: number }>) => {
      const { i } = count({ n: input.n });
      if (where === "a stream that drops its oldest") {
        // Items behind the first arrive at once, and are dropped where they wait for their turn.
        const isFirst = derive(i, (n) => n === 0);
        const hung = when("first", isFirst, () => firstHangs({ i }));
        return { all: collect(take({ i }, { ordered: true, after: [hung], buffer, onFull: "dropOldest" }).i) };
      }
      const through = firstHangs({ i }, hangs);
      if (where === "an op per item") {
        const left = filter(through.i, derive(i, isWanted));
        return { all: collect(take({ i: left }, { ordered: true }).i) };
      }
      const arm = when("arm", derive(through.i, isWanted), () => take({ i: through.i }, { ordered: true }));
      return { all: collect(filter(arm.i, derive(i, isWanted))) };
    });
    let most = 0;
    const backend = memory();
    const engine = await open({
      backend,
      check: (run) => {
        checkInvariants(run);
        most = Math.max(most, kept(run));
      },
    });
    const handle = await engine.start(g, { n: items }, { id: "run" });
    await eventually("all items were made", () => seen.made === items);
    expect(seen.took).toEqual([]);
    door.open();
    const result = await handle.result();
    expect(result.status).toBe("completed");
    expect(seen.took).toEqual(seen.took.toSorted((a, b) => a - b));
    expect(seen.took).toEqual(
      where === "a stream that drops its oldest" ? [0, items - 4, ...wantedOnes.slice(1)] : wantedOnes,
    );
    expect(most).toBeLessThanOrEqual(2 * buffer);
    const { happenings } = await readJournal(backend, "run");
    expect(interpret(planOf(g), happenings).reference.outcome).toMatchObject({ output: { all: seen.took } });
  },
);
