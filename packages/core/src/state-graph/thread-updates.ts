/** Updates of a thread: runs that end when what they write is folded. */
import type { Engine, Handle } from "../engine/api.ts";
import type { Labels } from "../model/tags.ts";
import type { RunRow } from "../ports/backend.ts";
import type { Program } from "./shape.ts";
import type { StateGraph } from "./state-graph.ts";
import { headOf, placeOf } from "./thread-places.ts";
import type { ThreadReader } from "./thread-reader.ts";
import { refuseBusy } from "./thread-rivals.ts";
import { updateAt, writersOf, writing } from "./thread-turns.ts";
import { TurnRequest } from "./turn.ts";
import { rehearse } from "./update-rehearsal.ts";

export interface Update {
  readonly write: unknown;
  readonly asNode: string | undefined;
  readonly at: string | undefined;
  readonly by: string | undefined;
  readonly labels: Labels | undefined;
}

export class ThreadUpdates {
  readonly #engine: Engine;
  readonly #graph: StateGraph<unknown, unknown>;
  readonly #program: Program;
  readonly #reader: ThreadReader;

  constructor(engine: Engine, graph: StateGraph<unknown, unknown>, program: Program, reader: ThreadReader) {
    this.#engine = engine;
    this.#graph = graph;
    this.#program = program;
    this.#reader = reader;
  }

  async begin(thread: string, update: Update): Promise<Handle<unknown>> {
    const { own, last } = await this.#reader.newest(thread);
    if (own?.status !== "interrupted") refuseBusy(thread, last);
    const request = await this.#requestOf(thread, update, own);
    rehearse(this.#program.shape, await this.#reader.carried(thread), request);
    // What a run asked is asked again by the turn that goes on; its answer would come too late.
    if (own?.status === "interrupted") await this.#engine.cancel(own.id, "the thread was updated");
    const tags = update.labels === undefined ? {} : { labels: update.labels };
    return this.#engine.start(this.#graph, request, { ...tags, thread, follows: last?.id ?? null });
  }

  async #requestOf(
    thread: string,
    { at, write, asNode, by }: Update,
    newest: RunRow | undefined,
  ): Promise<TurnRequest> {
    const who = by === undefined ? {} : { by };
    if (newest === undefined && at === undefined) return new TurnRequest(writing(write, asNode, who));
    const isRest = at === undefined && newest?.status === "completed";
    if (isRest && asNode !== undefined) return new TurnRequest(writing(write, asNode, who));
    const head = await headOf(this.#reader, thread);
    const from = at === undefined ? head : await placeOf(this.#reader, thread, at, head);
    if (from === undefined) return new TurnRequest(writing(write, asNode, who));
    if (isRest) return new TurnRequest({ ...writing(write, asNode, who), as: writersOf(from) });
    const turn = updateAt(this.#program.shape, from, write, asNode);
    return new TurnRequest({ ...turn, ...who });
  }
}
