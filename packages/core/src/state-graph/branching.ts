/** Branches: functions of the state after a superstep that say where to go on. */
import { errorOf } from "../base/error.ts";
import { derive } from "../build/values.ts";
import { decisionOp, op } from "../build/op.ts";
import type { Op } from "../model/op.ts";
import type { Ref } from "../model/ref.ts";
import { followsEdges } from "./board.ts";
import type { Board, Chosen, Done } from "./board-data.ts";
import type { BranchInput, BranchShape, GraphShape, Program } from "./shape.ts";
import { steps, stepsOf, type StepData } from "./steps.ts";
import { checkTarget } from "./task.ts";

/**
 * Asks all branches of a superstep at once. As its output is recorded, what they decided is never decided again, whatever they
 * looked at.
 */
export function branchOp(shape: GraphShape): Op<BranchInput, Chosen> {
  const isAsync = [...shape.branches.values()].flat().some(({ pick }) => isAsyncFunction(pick));
  const body = ({ state, from }: BranchInput): Chosen | Promise<Chosen> => {
    const picked = from.map((source) =>
      branchesFrom(shape, source).map(({ pick }) => pick(state as never, steps as never)),
    );
    const isSync = !picked.flat().some((one) => one instanceof Promise);
    return isSync ? chosenOf(shape, from, picked) : settled(picked).then((all) => chosenOf(shape, from, all));
  };
  // One that waits may have asked a model for money: that is not done before what it depends on is kept.
  return isAsync
    ? op("branch", { effect: "pure", async: true }, body)
    : decisionOp("branch", body as (input: BranchInput) => Chosen);
}

export function isAsyncFunction(fn: unknown): boolean {
  return Object.prototype.toString.call(fn) === "[object AsyncFunction]";
}

function settled(picked: readonly (readonly unknown[])[]): Promise<readonly (readonly unknown[])[]> {
  return Promise.all(picked.map((list) => Promise.all(list)));
}

function branchesFrom(shape: GraphShape, source: string | null): readonly BranchShape[] {
  return source === null ? [] : (shape.branches.get(source) ?? []);
}

function chosenOf(shape: GraphShape, from: BranchInput["from"], picked: readonly (readonly unknown[])[]): Chosen {
  return picked.map((list, at) => {
    const branches = branchesFrom(shape, from[at]!);
    return list.flatMap((one, i) => targetsOf(shape, branches[i]!, one));
  });
}

/** @throws MillraceError `UnknownNode`, `NotATarget`, `NotSteps` */
function targetsOf(shape: GraphShape, { from, targets }: BranchShape, picked: unknown): readonly StepData[] {
  // A forgotten return would end the path without a word.
  if (picked === undefined || picked === null) throw errorOf("NotATarget.nothing", { graph: shape.name, from });
  const list: readonly unknown[] = Array.isArray(picked) ? picked : [picked];
  return list.flatMap((one) => {
    const isName = typeof one === "string" || typeof one === "symbol";
    const given = stepsOf(from, isName ? steps.goto(one as string) : one);
    for (const step of given) {
      if ("goto" in step) checkTarget(shape, { name: from, routed: targets }, step.goto);
      else if ("send" in step) checkTarget(shape, { name: from, routed: targets }, step.send);
      else throw errorOf("NotATarget", { graph: shape.name, from });
    }
    return given;
  });
}

/** Wires the question into a superstep; nothing where the graph has no branches. */
export function branching(
  { shape, branches }: Program,
  board: Ref<Board>,
  dones: Ref<readonly Done[]>,
  state: Ref<unknown>,
): Ref<Chosen> | Chosen {
  if (branches === null) return [];
  const from = derive({ board, dones }, (at) =>
    at.dones.map((done, i) => {
      const { node } = at.board.works[i]!;
      return followsEdges(done) && shape.branches.has(node) ? node : null;
    }),
  );
  const view = derive(state, (accumulators) => shape.model.view(accumulators));
  return branches({ state: view, from });
}
