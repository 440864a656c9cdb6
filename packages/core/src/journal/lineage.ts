/**
 * The graphs that a run went through, and the plan that it is read with: which slot of the plan a recorded one is, and by
 * which path an invocation is known outside.
 *
 * L1  A record is read under the names of the graph that wrote it, brought forward by each map that was recorded since, and
 *     by the one that brings the last of these graphs to the plan. Without a map names stay.
 * L2  Two recorded nodes never become one.
 * L3  An invocation keeps the path that it was first known by, so that its idempotency key and the id of its question stay. A
 *     node that takes the name of another one gets a path of its own.
 */
import { errorOf } from "../base/error.ts";
import { nearest } from "../base/name.ts";
import type { GraphNames, NodeMap } from "../events/record.ts";
import { SlotKind, type Plan, type SlotPlan } from "../model/plan.ts";
import { pathShape } from "../state/path.ts";

/** What the slots of one recorded graph are. */
export interface Reading {
  /** Slots of the plan, by recorded ones. */
  readonly slots: ReadonlyMap<number, number>;
  /** Recorded slots that are gone on purpose. */
  readonly removed: ReadonlySet<number>;
  /** By slots of the plan: its arm, or -1 when there is none any more, by the recorded one. */
  readonly arms: ReadonlyMap<number, readonly number[]>;
}

const nothing: NodeMap = {};

export class Lineage {
  readonly #runId: string;
  readonly #plan: Plan;
  readonly #versions: readonly GraphNames[];
  /** By version: what brings it to the next, and the last to the plan. */
  readonly #maps: readonly NodeMap[];
  readonly #ids: ReadonlyMap<string, number>;
  readonly #known: ReadonlyMap<number, string>;

  /** `last`: what brings the last version to the plan, if that is another. @throws MillraceError `MigrationMismatch` */
  constructor(runId: string, plan: Plan, versions: readonly GraphNames[], last: NodeMap) {
    this.#runId = runId;
    this.#plan = plan;
    this.#versions = versions;
    const isPlan = versions.at(-1)?.fingerprint === plan.fingerprint;
    const between = versions.slice(1).map(({ map = nothing }) => map);
    this.#maps = isPlan ? between : [...between, last];
    this.#ids = new Map(namesOf(plan).nodes.map(([id, name]) => [name, id]));
    if (!isPlan) this.#checkNames(versions.at(-1), last);
    this.#known = this.#identities();
  }

  /** `version`: from 0, in the order of the journal. @throws MillraceError `MigrationMismatch` */
  reading(version: number, { nodes, arms = [] }: GraphNames): Reading {
    const maps = this.#maps.slice(version);
    const slots = new Map<number, number>();
    const removed = new Set<number>();
    const taken = new Map<number, string>();
    for (const [recorded, name] of nodes) {
      const now = broughtBy(maps, name);
      const id = now === null ? undefined : this.#ids.get(now);
      if (now === null) removed.add(recorded);
      if (id === undefined) continue;
      const other = taken.get(id);
      if (other !== undefined)
        throw errorOf("MigrationMismatch.same", { ...this.#who, first: other, second: name, node: now as string });
      taken.set(id, name);
      slots.set(recorded, id);
    }
    const names = new Map(nodes);
    const brought = arms.flatMap(([recorded, recordedArms]) => {
      const id = slots.get(recorded);
      return id === undefined ? [] : [[id, this.#arms(id, names.get(recorded) as string, recordedArms, maps)] as const];
    });
    return { slots, removed, arms: new Map(brought) };
  }

  /** The run was another graph's for a while, and is the first one's again. @throws MillraceError `MigrationMismatch` */
  checkSame(names: GraphNames): void {
    const { slots } = this.reading(0, names);
    for (const [slot, node] of names.nodes)
      if (slots.get(slot) !== slot) throw errorOf("MigrationMismatch.back", { ...this.#who, node });
  }

  /** By the names that the arms have now. */
  #arms(id: number, block: string, recorded: readonly string[], maps: readonly NodeMap[]): readonly number[] {
    const { name } = this.#plan.slots[id] as SlotPlan;
    const now = armsOf(this.#plan, id);
    return recorded.map((arm) => {
      const brought = broughtBy(maps, `${block}/${arm}`);
      return brought === null ? -1 : now.findIndex((each) => `${name}/${each}` === brought);
    });
  }

  /** The input of the run, with the keys that it has now. @throws MillraceError `MigrationMismatch` */
  input(recorded: unknown): unknown {
    return this.#maps.reduce((input, { inputs = {} }) => this.#renamed(input, inputs), recorded);
  }

  #renamed(input: unknown, inputs: Readonly<Record<string, string>>): unknown {
    if (Object.keys(inputs).length === 0 || typeof input !== "object" || input === null) return input;
    const entries = new Map<string, unknown>();
    for (const [key, value] of Object.entries(input)) {
      const now = Object.hasOwn(inputs, key) ? (inputs[key] as string) : key;
      if (entries.has(now)) throw errorOf("MigrationMismatch.input", { ...this.#who, key: now });
      entries.set(now, value);
    }
    return Object.fromEntries(entries);
  }

  /** L3: by slot of the plan. */
  get knownAs(): ReadonlyMap<number, string> {
    return this.#known;
  }

  #identities(): Map<number, string> {
    const used = new Set<string>();
    let known = new Map<string, string>();
    [...this.#versions, namesOf(this.#plan)].forEach((version, index) => {
      const map = this.#maps[index - 1] ?? nothing;
      const next = new Map<string, string>();
      for (const [name, path] of known) {
        const now = index === 0 ? name : broughtBy([map], name);
        if (now !== null) next.set(now, path);
      }
      const isRenamed = this.#maps.slice(index).some(({ rename = {} }) => Object.keys(rename).length > 0);
      for (const [slot, name] of version.nodes) {
        if (next.has(name)) continue;
        const own = this.#pathIn(version, slot, name, isRenamed);
        next.set(name, used.has(own) ? `${own}@${version.fingerprint}` : own);
      }
      for (const [, path] of next) used.add(path);
      known = next;
    });
    return new Map(namesOf(this.#plan).nodes.map(([id, name]) => [id, known.get(name) as string]));
  }

  /** Earlier versions did not record where their nodes stand: then it is where they stand now, if that may be. */
  #pathIn({ fingerprint, paths }: GraphNames, slot: number, name: string, isRenamed: boolean): string {
    const plain = `${this.#plan.name}/${name}`;
    if (paths !== undefined) return pathsOf(paths).get(slot) ?? plain;
    const id = this.#ids.get(name);
    const now = id === undefined ? plain : pathShape(this.#plan, this.#plan.slots[id] as SlotPlan);
    if (now !== plain && isRenamed && fingerprint !== this.#plan.fingerprint)
      throw errorOf("MigrationMismatch.unknownPath", { ...this.#who, node: name });
    return now;
  }

  /** What a map names that the graph never had is a mistake in it. */
  #checkNames(version: GraphNames | undefined, { rename = {}, remove = [] }: NodeMap): void {
    const names = (version?.nodes ?? []).map(([, name]) => name);
    for (const name of [...Object.keys(rename), ...remove]) {
      if (names.some((known) => known === name || known.startsWith(`${name}/`))) continue;
      if (version?.arms?.some(([slot, arms]) => arms.some((arm) => isArm(version, slot, arm, name))) === true) continue;
      const close = nearest(name, names);
      const near = close === undefined ? `it had ${names.join(", ")}` : `did you mean "${close}"?`;
      throw errorOf("MigrationMismatch.unknown", { ...this.#who, node: name, near });
    }
  }

  get #who(): { readonly runId: string; readonly graph: string } {
    return { runId: this.#runId, graph: this.#plan.name };
  }
}

function isArm({ nodes }: GraphNames, slot: number, arm: string, name: string): boolean {
  return nodes.some(([id, block]) => id === slot && `${block}/${arm}` === name);
}

const pathsByList = new WeakMap<object, ReadonlyMap<number, string>>();

function pathsOf(paths: NonNullable<GraphNames["paths"]>): ReadonlyMap<number, string> {
  let known = pathsByList.get(paths);
  if (known === undefined) pathsByList.set(paths, (known = new Map(paths)));
  return known;
}

/** L1. Null: it is gone on purpose. */
function broughtBy(maps: readonly NodeMap[], name: string): string | null {
  let now: string | null = name;
  for (const map of maps) {
    if (now === null) return null;
    now = mapName(map, now);
  }
  return now;
}

/** The longest of the names that are the node's or that of something around it. */
export function mapName({ rename = {}, remove = [] }: NodeMap, name: string): string | null {
  for (let end = name.length; end > 0; end = name.lastIndexOf("/", end - 1)) {
    const part = name.slice(0, end);
    if (Object.hasOwn(rename, part)) return `${rename[part] as string}${name.slice(end)}`;
    if (remove.includes(part)) return null;
  }
  return name;
}

const names = new WeakMap<Plan, GraphNames>();

/** What a journal keeps of a graph. */
export function namesOf(plan: Plan): GraphNames {
  let known = names.get(plan);
  if (known === undefined) names.set(plan, (known = makeNames(plan)));
  return known;
}

function makeNames(plan: Plan): GraphNames {
  const named = plan.slots.filter((slot) => slot.name !== "");
  const paths = named.flatMap((slot) => {
    const path = pathShape(plan, slot);
    return path === `${plan.name}/${slot.name}` ? [] : [[slot.id, path] as const];
  });
  const choosing = named.filter(({ kind }) => kind === SlotKind.choose || kind === SlotKind.race);
  return {
    fingerprint: plan.fingerprint,
    nodes: named.map((slot) => [slot.id, slot.name] as const),
    paths,
    arms: choosing.map(({ id }) => [id, armsOf(plan, id)] as const),
  };
}

function armsOf(plan: Plan, slot: number): readonly string[] {
  return (plan.slots[slot]?.block?.scopes ?? []).map((scope) => plan.scopes[scope]?.name ?? "");
}
