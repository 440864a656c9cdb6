/**
 * The resources of an engine: made once, shared by all runs, closed with it.
 *
 * S1  A body never waits for its resources: whatever a plan needs is there before a run of it starts.
 * S2  A resource is made at most once; a failure to make it is forgotten, so that the next run tries again.
 * S3  They are closed in the reverse order of their listing, each at most once, and only those that were made.
 */
import { errorOf, type MillraceError } from "../base/error.ts";
import { nearest } from "../base/name.ts";
import type { Plan, SlotPlan } from "../model/plan.ts";
import type { Redactor } from "../secrets/redactor.ts";
import type { Clock } from "../ports/clock.ts";
import { Limiter, type Limits } from "./limiter.ts";
import { Gate } from "./turnstile.ts";

/** How an engine comes by one resource. */
export interface ResourceSource {
  readonly name: string;
  /** Made by the first run that needs it instead of when the engine opens. */
  readonly lazy: boolean;
  readonly limits: Limits | null;
  make(): unknown;
  check(value: never): unknown;
  close(value: never): unknown;
}

interface Entry {
  readonly source: ResourceSource;
  readonly gate: Gate | null;
  made: boolean;
  value: unknown;
  making: Promise<void> | null;
}

const none: object = Object.freeze({});

export class Resources {
  readonly #entries: Map<string, Entry>;
  /** `ctx.resources` by slot. */
  readonly #records: WeakMap<SlotPlan, object> = new WeakMap();
  readonly #gates: WeakMap<SlotPlan, { readonly gates: readonly Gate[] | null }> = new WeakMap();
  readonly #redactor: Redactor;
  #closed = false;

  constructor(sources: readonly ResourceSource[], clock: Clock, redactor: Redactor) {
    this.#redactor = redactor;
    this.#entries = new Map(sources.map((source) => [source.name, entryOf(source, clock)]));
  }

  /** Refuses a plan that needs what is not here, whatever else is wrong. */
  checkPlan(plan: Plan): void {
    for (const name of plan.resources) if (!this.#entries.has(name)) throw this.#missing(plan, name);
  }

  #missing(plan: Plan, name: string): MillraceError {
    const node = plan.slots.find(({ resources }) => Object.values(resources ?? {}).includes(name))?.name ?? "";
    const close = nearest(name, this.#entries.keys());
    const meant = close === undefined ? "" : `; it has "${close}"`;
    return errorOf("ResourceMissing", { node, graph: plan.name, resource: name, meant });
  }

  /** Makes and checks all that are not lazy, at once; the first that fails by the order of the listing is thrown. */
  async open(): Promise<void> {
    const eager = [...this.#entries.values()].filter(({ source }) => !source.lazy);
    const settled = await Promise.allSettled(eager.map((entry) => this.#ensure(entry)));
    for (const result of settled) if (result.status === "rejected") throw result.reason;
  }

  /** S1. Null: everything is there. */
  ready(plan: Plan): Promise<unknown> | null {
    if (plan.resources.length === 0) return null;
    this.checkPlan(plan);
    const missing = plan.resources
      .map((name) => this.#entries.get(name) as Entry)
      .filter((entry) => !entry.made)
      .map((entry) => this.#ensure(entry));
    return missing.length === 0 ? null : Promise.all(missing);
  }

  /** S2 */
  #ensure(entry: Entry): Promise<void> {
    if (entry.made) return Promise.resolve();
    entry.making ??= this.#make(entry).finally(() => (entry.making = null));
    return entry.making;
  }

  async #make(entry: Entry): Promise<void> {
    const { source } = entry;
    let made = false;
    let value: unknown;
    try {
      value = await source.make();
      made = true;
      await source.check(value as never);
    } catch (cause) {
      if (made) await Promise.resolve(source.close(value as never)).catch(() => undefined);
      throw failed(source.name, made ? "did not pass its check" : "could not be made", cause, this.#redactor);
    }
    if (this.#closed) {
      await source.close(value as never);
      throw errorOf("EngineClosed.making", { resource: source.name });
    }
    entry.value = value;
    entry.made = true;
  }

  /** What the body of a slot's op gets as `ctx.resources`. */
  of(slot: SlotPlan): object {
    if (slot.resources === null) return none;
    let record = this.#records.get(slot);
    if (record === undefined) {
      const values = Object.entries(slot.resources).map(([key, name]) => [key, this.#entries.get(name)?.value]);
      record = Object.freeze(Object.fromEntries(values) as object);
      this.#records.set(slot, record);
    }
    return record;
  }

  /** The limited ones among what a slot's op needs. Null: it waits for none. */
  gatesOf(slot: SlotPlan): readonly Gate[] | null {
    let known = this.#gates.get(slot);
    if (known === undefined) {
      const names = new Set(Object.values(slot.resources ?? {}));
      const gates = [...names].map((name) => this.#entries.get(name)?.gate ?? null).filter((gate) => gate !== null);
      known = { gates: gates.length === 0 ? null : gates };
      this.#gates.set(slot, known);
    }
    return known.gates;
  }

  /** `ctx.spend` */
  spend({ name, resources }: SlotPlan, key: string, tokens: number): void {
    const resource = resources !== null && Object.hasOwn(resources, key) ? resources[key] : undefined;
    if (resource === undefined) throw errorOf("InvalidValue.noResource", { node: name, key });
    if (typeof tokens !== "number" || !Number.isFinite(tokens) || tokens < 0)
      throw errorOf("InvalidValue.noTokens", { tokens: String(tokens) });
    this.#entries.get(resource)?.gate?.limiter.spend(tokens);
  }

  /** S3. One that cannot be closed keeps none of the others open. */
  async close(warn: (text: string) => void): Promise<void> {
    this.#closed = true;
    for (const entry of [...this.#entries.values()].toReversed()) {
      await entry.making?.catch(() => undefined);
      if (!entry.made) continue;
      entry.made = false;
      try {
        await entry.source.close(entry.value as never);
      } catch (error) {
        warn(`millrace: resource "${entry.source.name}" could not be closed: ${messageOf(error)}`);
      }
    }
  }
}

function entryOf(source: ResourceSource, clock: Clock): Entry {
  const gate = source.limits === null ? null : new Gate(new Limiter(source.limits, clock));
  return { source, gate, made: false, value: undefined, making: null };
}

/** A setting that is wrong may be a secret, and the error names it. */
function failed(name: string, what: string, cause: unknown, redactor: Redactor): MillraceError {
  const reason = redactor.text(messageOf(cause));
  return errorOf("ResourceFailed", { name, what, reason }, redactor.value(cause));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
