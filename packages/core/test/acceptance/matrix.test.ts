// oxlint-disable vitest/expect-expect -- judge asserts
/**
 * Every kind of node in every place with everything that can happen to it: what it comes to stands in `matrix/rules.ts`,
 * and holds without a journal, with one, and after a crash at every record.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { memory, openEngine, type Backend, type EngineOptions, type Executor, type Handle } from "../../src/index.ts";
import { workerPool } from "../../src/node/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { cells, impossible, refusedAtBuild, type Cell } from "./matrix/cells.ts";
import { onThisThread, watched } from "./matrix/executors.ts";
import { graphOf, input } from "./matrix/places.ts";
import { verdictOf, type Verdict } from "./matrix/rules.ts";
import { newStage, type Stage } from "./matrix/stage.ts";
import { eventually } from "./support/gate.ts";
import { crashedBehind, recordingOf, type Recording } from "./support/journal.ts";

const pool = workerPool({ module: new URL("./matrix/subjects.ts", import.meta.url), threads: 2 });
beforeAll(() => pool.open());
afterAll(() => pool.close());

interface Life {
  readonly stage: Stage;
  readonly options: EngineOptions;
}

function newLife(cell: Cell, backend: Backend | null, executor: Executor = onThisThread): Life {
  const stage = newStage();
  const options: EngineOptions = {
    observer: stage,
    clock: stage.clock,
    check: checkInvariants,
    warn: () => undefined,
    ...(backend === null ? {} : { backend }),
    ...(cell.kind === "cpu" ? { cpu: watched(executor) } : {}),
  };
  return { stage, options };
}

/** Does what the event asks of the outside, and gives what the run came to. */
async function happen(
  { event, place }: Cell,
  { stage }: Life,
  handle: Pick<Handle<unknown>, "cancel" | "result" | "interrupts" | "answer">,
): Promise<object> {
  if (event === "cancel") {
    // After a crash behind the request nothing begins any more.
    await Promise.race([stage.begun(place === "item" || place === "race" ? 2 : 1), handle.result()]);
    return handle.cancel();
  }
  let result = await handle.result();
  while (result.status === "interrupted") {
    const [question] = handle.interrupts();
    await handle.answer(question!.id, question!.payload);
    result = await handle.result();
  }
  return result;
}

/** A run without a crash. `done` is called before its engine closes. */
async function inOneLife(
  cell: Cell,
  backend: Backend | null,
  executor?: Executor,
  done: () => Promise<void> = () => Promise.resolve(),
): Promise<object> {
  const life = newLife(cell, backend, executor);
  const engine = await openEngine(life.options);
  try {
    const handle = await engine.start(graphOf(cell), input, { id: "run" });
    const result = await happen(cell, life, handle);
    await nothingLeft(life.stage);
    await done();
    expect(life.stage.started.toSorted()).toEqual(verdictOf(cell).ran);
    expect(life.stage.aborted.toSorted()).toEqual(verdictOf(cell).aborted);
    return result;
  } finally {
    await engine.close();
  }
}

/** P3, I11: bodies that give way to their signal leave no timer behind. */
async function nothingLeft(stage: Stage): Promise<void> {
  await eventually("no timer is armed", () => stage.clock.armed === 0);
}

async function afterCrash(cell: Cell, backend: Backend): Promise<{ result: object; started: readonly string[] }> {
  const life = newLife(cell, backend);
  const engine = await openEngine({ ...life.options, graphs: [graphOf(cell)] });
  try {
    const [handle] = engine.recovered;
    return { result: await happen(cell, life, handle!), started: life.stage.started };
  } finally {
    await engine.close();
  }
}

function judge(result: object, { status, errors, ...verdict }: Verdict): void {
  expect(result).toMatchObject({ status, errors, ...(status === "completed" ? { output: verdict.output } : {}) });
}

async function crashEverywhere(cell: Cell, recording: Recording, verdict: Verdict): Promise<void> {
  for (let cut = 1; cut < recording.records.length; cut++) {
    // Dropped items, decisions and withdrawals stand in one row with the event that caused them.
    if ([5, 10, 15].includes(recording.records[cut]?.[0] as number)) continue;
    const { result, started } = await afterCrash(cell, await crashedBehind(recording, cut));
    judge(result, verdict);
    expect(verdict.ran).toEqual(expect.arrayContaining([...new Set(started)]));
  }
}

const title = ({ kind, place, event }: Cell): string => `${kind} in ${place}: ${event}`;
const refused = cells.filter((cell) => refusedAtBuild(cell) !== undefined);
const never = cells.filter((cell) => refusedAtBuild(cell) === undefined && impossible(cell) !== undefined);
const real = cells.filter((cell) => refusedAtBuild(cell) === undefined && impossible(cell) === undefined);

describe("matrix", () => {
  test("P1 K1 every cell is played, refused at build, or cannot be, with a reason", () => {
    expect(cells).toHaveLength(6 * 6 * 7);
    expect([refused, never, real].map((group) => group.length)).toEqual([10, 29, 213]);
  });

  test.each(refused.map((cell) => [title(cell), cell] as const))("%s is refused at build", (_title, cell) => {
    expect(() => graphOf(cell).plan).toThrow(refusedAtBuild(cell));
  });

  test.each(real.map((cell) => [title(cell), cell] as const))(
    "%s",
    async (_title, cell) => {
      const verdict = verdictOf(cell);
      judge(await inOneLife(cell, null), verdict);
      const backend = memory();
      let recording: Recording | null = null;
      judge(
        await inOneLife(cell, backend, onThisThread, async () => void (recording = await recordingOf(backend, "run"))),
        verdict,
      );
      if (cell.kind === "cpu") judge(await inOneLife(cell, memory(), pool), verdict);
      await crashEverywhere(cell, recording!, verdict);
    },
    5_000,
  );
});
