import { join } from "node:path";
import type { MessagePort } from "node:worker_threads";
import { expect, test } from "vitest";
import type { Failure } from "../../src/node/sqlite/protocol.ts";
import { Answers } from "../../src/node/sqlite/worker/answers.ts";
import { Service } from "../../src/node/sqlite/worker/service.ts";
import { warmUp } from "../../src/node/sqlite/worker/warm-up.ts";
import { temporaryFolder } from "./temporary-folder.ts";

class Heard extends Answers {
  readonly found: unknown[] = [];
  readonly failures: Failure[] = [];

  override succeed(id: number, answer: unknown): void {
    this.found.push(answer);
    super.succeed(id, answer);
  }

  override fail(id: number, failure: Failure): void {
    this.failures.push(failure);
    super.fail(id, failure);
  }
}

test("what warms a database up is understood, finds nothing, and is answered to nobody", async () => {
  const sent: unknown[] = [];
  const port = { postMessage: (message: unknown) => sent.push(message) };
  const answers = new Heard(port as unknown as MessagePort);
  const folder = temporaryFolder();
  const file = join(folder.path, "warm.db");
  const service = await Service.open(
    { file, synchronous: "full", busyTimeout: 100, maxBytes: undefined },
    "me",
    answers,
  );
  service.receive(warmUp);
  while (service.commitSome());
  await service.close();
  folder.remove();
  const lost = { type: "lost", row: undefined };
  expect(answers.failures).toEqual([]);
  expect(answers.found).toHaveLength(warmUp.requests.length);
  expect(answers.found).toEqual(
    expect.arrayContaining([undefined, [], { rows: [], bytes: new Uint8Array(), next: null }, lost]),
  );
  expect(sent).toEqual([]);
});
