/** A backend that says of every run what it was given, and what was acknowledged. */
import { WrappedBackend } from "../../backends/wrapped.ts";
import type { Append, AppendResult, Backend, ClaimRequest, CreateResult, NewRun, RunRow } from "../../ports/backend.ts";
import type { Line } from "./lines.ts";

export class ToldBackend extends WrappedBackend {
  /** Of the runs that this process has or had, by id. */
  readonly epochs: Map<string, number> = new Map();
  readonly #say: (line: Line) => void;

  constructor(inner: Backend, say: (line: Line) => void) {
    super(inner);
    this.#say = say;
  }

  override async create(run: NewRun): Promise<CreateResult> {
    const result = await super.create(run);
    if (result.type !== "created") return result;
    this.epochs.set(run.id, 1);
    this.#say({ what: "created", run: run.id, seq: run.first.count, chain: run.first.chain });
    return result;
  }

  override async append(append: Append): Promise<AppendResult> {
    const { runId: run, epoch, row } = append;
    const result = await super.append(append);
    const seq = row.firstSeq + row.count - 1;
    if (result.type === "ok") this.#say({ what: "acknowledged", run, epoch, seq, chain: row.chain });
    else this.#say({ what: "refused", run, epoch });
    return result;
  }

  override async claim(request: ClaimRequest): Promise<RunRow[]> {
    const rows = await super.claim(request);
    for (const { id, epoch, lastSeq, status, owner } of rows) {
      if (owner === null) continue;
      this.epochs.set(id, epoch);
      this.#say({ what: "claimed", run: id, epoch, seq: lastSeq, status });
    }
    return rows;
  }
}
