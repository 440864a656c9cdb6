import { deepFreeze } from "../base/freeze.ts";
import type { Tells, Told } from "../model/body-around.ts";
import type { Log } from "../model/log.ts";
import type { OpCtx, ResumePoint } from "../model/op.ts";
import { noLabels, type Labels } from "../model/tags.ts";
import type { ResourcesOf } from "../model/resource.ts";
import type { Store } from "../model/store.ts";
import type { SecretRef } from "../secrets/secret-ref.ts";
import type { Secret } from "../secrets/secret.ts";
import type { SendsTasks, TaskToSend } from "../ports/task-executor.ts";
import { nodePath } from "../state/path.ts";
import type { Pending } from "../state/pending.ts";
import { Flag } from "../state/tables.ts";
import { totalDeadline } from "../state/total-deadline.ts";
import { bodyOf, isWanted, type Body } from "./body.ts";
import { sendTask } from "./send-task.ts";
import { identityPath, invocationKey } from "../state/invocation-key.ts";
import type { Runner } from "./runner.ts";

/** The `ctx` of an op body. Everything in it is made when it is asked for, and there is nothing to assign to. */
export class OpContext implements OpCtx<object>, Tells, SendsTasks {
  readonly #runner: Runner;
  readonly #pending: Pending;
  readonly #attempt: number;

  constructor(runner: Runner, pending: Pending) {
    this.#runner = runner;
    this.#pending = pending;
    this.#attempt = pending.attempt;
  }

  /** The attempt it was made for: a body that outlives its attempt keeps its own number. */
  get attempt(): number {
    return this.#attempt;
  }

  get runId(): string {
    return this.#runner.state.runId;
  }

  get thread(): string | undefined {
    return this.#runner.state.thread?.name;
  }

  get graph(): string {
    return this.#runner.state.program.plan.name;
  }

  /** Scoped name of the node, `fast/summarise`. */
  get node(): string {
    return this.#pending.slot.name;
  }

  /** The node with the items around it, `nightly/listDocs[3]/parse`. */
  get path(): string {
    const { context, slot } = this.#pending;
    return nodePath(this.#runner.state.program.plan, context, slot.id);
  }

  /** The same in every attempt and after every crash; different for other runs, nodes and items. */
  get idempotencyKey(): string {
    return invocationKey(this.runId, identityPath(this.#runner.state, this.#pending));
  }

  /** Aborted when the attempt times out or the run is cancelled. */
  get signal(): AbortSignal {
    return bodyOf(this.#runner, this.#pending, this.attempt).signal();
  }

  get resumeFrom(): ResumePoint | undefined {
    const body = this.#pending.body as Body | null;
    return body?.attempt === this.#attempt ? (body.resumeFrom ?? undefined) : undefined;
  }

  get log(): Log {
    return this.#runner.host.log.of(() => ({ runId: this.runId, path: this.path, attempt: this.attempt }));
  }

  /** What the engine was given for the needs of the op. */
  get resources(): ResourcesOf<object> {
    return this.#runner.host.resources.of(this.#pending.slot);
  }

  spend(resource: string, tokens: number): void {
    this.#runner.host.resources.spend(this.#pending.slot, resource, tokens);
  }

  secret(ref: SecretRef): Promise<Secret> {
    return this.#runner.host.secrets.get(ref, this.node);
  }

  get store(): Store {
    return this.#runner.host.store;
  }

  /** What the caller told the run, as the op asks for it. */
  get context(): unknown {
    const context = this.#pending.slot.op?.context ?? null;
    return context === null ? undefined : this.#runner.state.callerValues?.[context.name];
  }

  get traceId(): string | undefined {
    return this.#runner.state.tags?.traceId ?? undefined;
  }

  get labels(): Labels {
    return this.#runner.state.tags?.labels ?? noLabels;
  }

  /** Epoch milliseconds at which this attempt times out; counted from when the body started. */
  get deadline(): number | undefined {
    const first = Math.min(totalDeadline(this.#runner.state, this.#pending), this.#runDeadline());
    return first === Infinity ? undefined : first;
  }

  /** For bodies that are made around one of the user. */
  tell(told: Told): void {
    const { observe, recorder } = this.#runner;
    if ((this.#pending.flags & Flag.tells) === 0 || !isWanted(this.#runner, this.#pending, this.#attempt)) return;
    if (recorder !== null) deepFreeze(told.value);
    const all = (bodyOf(this.#runner, this.#pending, this.#attempt).told ??= []);
    all.push(told);
    observe?.said(this.#pending, all.length - 1, told);
  }

  /** Of a task of a state graph: to where the engine has its tasks run. */
  send(task: TaskToSend): Promise<unknown> | null {
    return (this.#pending.flags & Flag.tells) === 0 ? null : sendTask(this.#runner, this.#pending, task);
  }

  #runDeadline(): number {
    const limit = this.#pending.slot.policies?.runTimeout ?? 0;
    if (limit === 0) return Infinity;
    const body = bodyOf(this.#runner, this.#pending, this.attempt);
    return body.runDeadline?.at ?? this.#runner.host.clock.now() + limit;
  }
}
