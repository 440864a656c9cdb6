/** From the kernel's calls to the Observer port, with names and paths. Exists only when somebody listens. */
import type { Telling, Told } from "../model/body-around.ts";
import { SlotKind, type Plan, type SlotPlan } from "../model/plan.ts";
import type { Clock } from "../ports/clock.ts";
import type { NodeEvent, Observer } from "../ports/observer.ts";
import type { Context } from "../state/context.ts";
import type { Failure } from "../state/failure.ts";
import { openInvocations } from "../state/invocations.ts";
import { nodePath } from "../state/path.ts";
import type { Pending } from "../state/pending.ts";
import { regionAround } from "../state/region.ts";
import { Resolution } from "../state/resolution.ts";
import type { StreamInstance } from "../state/stream.ts";
import type { Probe, ProbedError, RunState } from "../state/run-state.ts";
import { Flag } from "../state/tables.ts";
import { payloadOf, questionId } from "../state/unsafe-bodies.ts";
import type { Body } from "./body.ts";
import { upstreamOf } from "./upstream.ts";

const settledAs: Readonly<Record<number, "skipped" | "absent" | "swept" | "untaken">> = {
  [Resolution.skipped]: "skipped",
  [Resolution.absent]: "absent",
  [Resolution.swept]: "swept",
  [Resolution.untaken]: "untaken",
};
const kindNames: readonly string[] = Object.keys(SlotKind);

type Call = keyof Observer | "recorded";
type EventOf<K extends Call> = Parameters<NonNullable<Follower[K]>>[0];

interface Call_ {
  readonly call: Call;
  readonly event: object;
}

/** Somebody inside the engine who reads along with one run. It must not throw. */
export interface Follower extends Observer {
  /** A body that told events is through: now they are recorded. Told before that it `finished`. */
  recorded?(event: NodeEvent & { told: readonly Told[] }): void;
  /** Step `seq` is over and recorded, and everything it did was told. */
  stepped?(seq: number): void;
  /** More records are durable. */
  durable?(): void;
}

/**
 * The kernel tells it things inside of steps, and an observer may call the engine: what there is to tell is kept until
 * the step and its record are done.
 */
export class RunObserver implements Probe {
  #told: Call_[] = [];
  #recalling = false;
  #seq: number | null = null;
  #thrown: { readonly error: unknown } | null = null;
  #fromCache = false;
  #followers: readonly Follower[];
  readonly #clock: Clock;
  readonly #run: RunState;
  /** Number of the attempt that is next, of invocations that failed at least once. */
  readonly #attempts: Map<string, number> = new Map();

  constructor(followers: readonly Follower[], clock: Clock, run: RunState) {
    this.#followers = followers;
    this.#clock = clock;
    this.#run = run;
  }

  /** Of a run that has done something already. */
  static late(clock: Clock, run: RunState): RunObserver {
    const observer = new RunObserver([], clock, run);
    const { plan } = run.program;
    for (const { context, id, attempt } of openInvocations(run))
      if (attempt > 1) observer.#attempts.set(nodePath(plan, context, id), attempt);
    return observer;
  }

  add(follower: Follower): void {
    this.#followers = [...this.#followers, follower];
  }

  remove(follower: Follower): void {
    this.#followers = this.#followers.filter((other) => other !== follower);
  }

  /** What happens in `act` is told as replayed: another run did it. */
  recalling<T>(act: () => T): T {
    this.#recalling = true;
    try {
      return act();
    } finally {
      this.#recalling = false;
    }
  }

  get deserted(): boolean {
    return this.#followers.length === 0;
  }

  /** A step is over, and its record is not made yet: more of them may follow it with numbers of their own. */
  stepped(): void {
    this.#seq = this.#run.seq;
    this.#fromCache = false;
  }

  /** After the step and its record. */
  flush(): void {
    const told = this.#told;
    if (told.length > 0) this.#told = [];
    const seq = this.#seq ?? this.#run.seq;
    this.#seq = null;
    for (const follower of this.#followers) {
      for (const { call, event } of told) (follower[call] as ((event: object) => void) | undefined)?.(event);
      follower.stepped?.(seq);
    }
  }

  durable(): void {
    for (const follower of this.#followers) follower.durable?.();
  }

  #tell<K extends Call>(call: K, event: EventOf<K>): void {
    this.#told.push({ call, event });
  }

  #event(context: Context, id: number): NodeEvent {
    const run = this.#run;
    const { plan } = run.program;
    const slot = plan.slots[id] as SlotPlan;
    return {
      runId: run.runId,
      node: slot.name,
      path: nodePath(plan, context, id),
      kind: kindNames[slot.kind] as string,
      seq: run.seq,
      ...ephemeralOf(plan, context, id),
      replayed: run.replaying || this.#recalling,
    };
  }

  expected(context: Context, slot: number): void {
    this.#tell("expected", this.#event(context, slot));
  }

  resolved(context: Context, slot: number, state: number, value: unknown): void {
    const event = this.#event(context, slot);
    const attempts = this.#attempts.get(event.path) ?? 1;
    this.#attempts.delete(event.path);
    // An answer resolves its own slot before all others.
    const isCached = this.#fromCache;
    this.#fromCache = false;
    if (state === Resolution.value) this.#recorded(event, slot, value);
    if (isCached) this.#tell("finished", { ...event, value, attempts: attempts - 1, cached: true });
    else if (state === Resolution.value) this.#tell("finished", { ...event, value, attempts });
    else if (state === Resolution.failed) this.#tell("failed", { ...event, error: (value as Failure).error });
    else this.#settled(event, state, value);
  }

  #recorded(event: NodeEvent, slot: number, value: unknown): void {
    if (this.#run.program.plan.slots[slot]?.op?.around === undefined) return;
    const { told = [] } = value as Telling;
    if (told.length > 0) this.#tell("recorded", { ...event, told });
  }

  #settled(event: NodeEvent, state: number, value: unknown): void {
    const as = settledAs[state];
    if (as === undefined) return;
    if (as !== "skipped") this.#tell("settled", { ...event, as });
    else {
      const { node, path } = (value as Failure).error;
      this.#tell("settled", { ...event, as, because: node, at: path });
    }
  }

  attemptFailed(pending: Pending, { code, type, message }: ProbedError, retryAt: number | null): void {
    const { context, slot, attempt } = pending;
    const event = this.#event(context, slot.id);
    const retryInMs = retryAt === null ? null : Math.max(0, retryAt - this.#clock.now());
    if (retryInMs !== null) this.#attempts.set(event.path, attempt + 1);
    const thrown = this.#thrown === null ? {} : { thrown: this.#thrown.error };
    this.#thrown = null;
    this.#tell("attemptFailed", { ...event, attempt, code, type, message, retryInMs, retryAt, ...thrown });
  }

  /** The failure that is fed next was this; the journal keeps less of it. */
  threw(error: unknown): void {
    this.#thrown = { error };
  }

  fromCache(): void {
    this.#fromCache = true;
  }

  reset(pending: Pending): void {
    const event = this.#event(pending.context, pending.id);
    const tells = (pending.flags & Flag.tells) !== 0;
    this.#tell("reset", { ...event, attempt: pending.attempt, ...(tells && { events: tells }) });
  }

  yielded(pending: Pending, value: unknown): void {
    const event = this.#event(pending.context, pending.slot.id);
    const isEphemeral = (pending.flags & Flag.ephemeral) !== 0;
    this.#tell("yielded", {
      ...(isEphemeral && { ephemeral: { node: event.node, path: event.path } }),
      ...event,
      attempt: pending.attempt,
      index: pending.yielded - 1,
      value,
    });
  }

  emitted(context: Context, slot: number, value: unknown): void {
    this.#tell("emitted", { ...this.#event(context, slot), value });
  }

  /** An event of a body. Told by the runtime, outside of steps: at once. */
  said(pending: Pending, index: number, told: Told, followers: readonly Follower[] = this.#followers): void {
    const event = this.#event(pending.context, pending.id);
    const ephemeral = event.ephemeral ?? { node: event.node, path: event.path };
    for (const follower of followers) follower.emitted?.({ ...event, ephemeral, index, ...told });
  }

  /** What bodies that run have told so far, to who comes now. */
  catchUp(follower: Follower): void {
    for (const pending of openInvocations(this.#run)) {
      const told = (pending.body as Body | null)?.told ?? [];
      for (const [index, one] of told.entries()) this.said(pending, index, one, [follower]);
    }
  }

  asked(pending: Pending): void {
    const event = this.#event(pending.context, pending.id);
    const payload = payloadOf(this.#run, pending);
    this.#tell("asked", { ...event, id: questionId(this.#run, pending), payload });
  }

  answered(pending: Pending, as: "answered" | "defaulted" | "withdrawn", value: unknown): void {
    const event = this.#event(pending.context, pending.id);
    this.#tell("answered", { ...event, id: questionId(this.#run, pending), as, value });
  }

  /** Told by the runtime, outside of steps: at once. */
  attemptStarted(pending: Pending): void {
    const { context, slot, attempt, input } = pending;
    const upstream = upstreamOf(this.#run.program.plan, slot);
    const event = { ...this.#event(context, slot.id), attempt, input, upstream };
    for (const follower of this.#followers) follower.attemptStarted?.(event);
  }
}

/** The ephemeral generator, by its path, that the node is among the items of, or that it is itself. */
function ephemeralOf(plan: Plan, context: Context, id: number): Pick<NodeEvent, "ephemeral"> {
  const { ephemeral } = context.scope;
  if (ephemeral < 0) return {};
  const source = plan.slots[plan.streams[ephemeral]?.source ?? id] as SlotPlan;
  const { owner } = regionAround(context) as StreamInstance;
  return { ephemeral: { node: source.name, path: nodePath(plan, owner, source.id) } };
}

/** What `follow` needs of a runner. */
export interface Followed {
  readonly state: RunState;
  observe: RunObserver | null;
}

/** Reads along from now on; returns what ends it. A run that nobody follows tells nobody and pays nothing. */
export function follow(run: Followed, clock: Clock, follower: Follower): () => void {
  const observe = (run.observe ??= RunObserver.late(clock, run.state));
  run.state.probe = observe;
  observe.add(follower);
  observe.catchUp(follower);
  return () => {
    observe.remove(follower);
    if (observe.deserted) {
      run.state.probe = null;
      run.observe = null;
    }
  };
}
