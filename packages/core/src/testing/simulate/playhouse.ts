/** Where the bodies of a case play, life after life, and what is seen of them. */
import type { OpCtx } from "../../model/op.ts";
import type { Theatre } from "../random-graph.ts";
import { Asides } from "./asides.ts";
import type { Stage } from "./stage.ts";

/** One body that began. */
export interface Entry {
  readonly path: string;
  readonly node: string;
  readonly attempt: number;
  /** Its idempotency key, where the case looks at keys. */
  readonly key: string | undefined;
  /** The record whose step was the last before it; null when nobody saw that. */
  readonly after: number | null;
  /** How often the run had been taken up before in that life: a generator without credit begins again each time. */
  readonly session: number;
}

/** The bodies of a graph play on whatever stage is current. */
export class Playhouse implements Theatre {
  stage: Stage | null = null;
  entries: Entry[] = [];
  /** The record of the step that was taken last. */
  seq = 0;
  session = 0;
  readonly given: Map<string, unknown> = new Map();
  readonly asides: Asides = new Asides();
  readonly #keys: boolean;

  /** @param keys look at every body's idempotency key: a hash each. */
  constructor(keys: boolean) {
    this.#keys = keys;
  }

  enter(ctx: OpCtx): void {
    if (this.stage === null || this.stage.dead) return;
    this.entries.push({
      path: ctx.path,
      node: ctx.node,
      attempt: ctx.attempt,
      key: this.#keys ? ctx.idempotencyKey : undefined,
      after: this.seq,
      session: this.session,
    });
  }

  instead(path: string): { readonly value: unknown } | undefined {
    return this.given.has(path) ? { value: this.given.get(path) } : undefined;
  }

  /** Every life has a mood of its own. */
  get mood(): number {
    return this.stage?.mood ?? 0;
  }

  wait(): Promise<void> {
    const { stage } = this;
    return new Promise((resolve) => stage?.later(() => (stage.dead ? undefined : resolve())));
  }
}
