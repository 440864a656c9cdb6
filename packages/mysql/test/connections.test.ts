import { mysql } from "@millrace/mysql";
import { describe, expect, inject, test } from "vitest";

import { connectionTests } from "../../core/test/servers/connections.ts";
import { appendOf, eventually, newRun, pause } from "../../core/test/servers/runs.ts";
import { harness } from "./support/harness.ts";
import { opened } from "./support/open.ts";
import { password } from "./support/server.ts";
import { freshPrefix, withClient } from "./support/store.ts";

describe("connections", () => {
  connectionTests(harness, {
    endsPerRound: 2,
    password,
    unreadable: [
      `postgres://user:${password}@host/db`,
      `mysql://user:${password}@host:notaport/db`,
      `mysql://user:${password}@host`,
      `mysql://user:${password}@host/%E0%A4%A`,
    ],
  });

  test("a name tells server, database and prefix, whichever the scheme is", () => {
    const url = new URL(inject("mysqlUrl"));
    expect(mysql(url).name).toBe(`mysql:127.0.0.1:${url.port}/test#millrace_`);
    expect(mysql(url.href.replace("mysql:", "mariadb:")).name).toBe(mysql(url).name);
  });

  test("H77 a hint comes for notes and queued runs, and for none that others get", async () => {
    const prefix = freshPrefix();
    const [a, b] = [await opened("a", { prefix, hints: "20ms" }), await opened("b", { prefix, hints: "20ms" })];
    const hints = { a: 0, b: 0 };
    a.onHint?.(() => (hints.a += 1));
    b.onHint?.(() => (hints.b += 1));
    const told = async (what: string): Promise<void> => {
      await eventually(what, 10_000, () => (hints.a > 0 ? true : undefined));
      hints.a = 0;
    };
    await told("the first look");
    await eventually("the other's first look", 10_000, () => (hints.b > 0 ? true : undefined));
    hints.b = 0;
    await a.create(newRun("r"));
    const note = { runId: "r", kind: "answer", key: "q", bytes: Buffer.from("yes"), by: null, at: 1 } as const;
    await b.post({ ...note, wakes: [] });
    await told("a note for its run");
    await pause(200);
    expect(hints).toEqual({ a: 0, b: 0 });
    await a.append(appendOf("r", 2, { status: "queued", release: true }));
    await told("a queued run");
    await eventually("the queued run at the other", 10_000, () => (hints.b > 0 ? true : undefined));
  });

  test("hints that were written long ago are taken away, and those that come then are seen", async () => {
    const prefix = freshPrefix();
    const backend = await opened("a", { prefix, hints: "20ms" });
    let hints = 0;
    backend.onHint?.(() => (hints += 1));
    await eventually("the first look", 10_000, () => (hints > 0 ? true : undefined));
    // Far more than are looked at, in one go, with a gap behind them.
    await withClient((client) =>
      client.query(`INSERT INTO \`${prefix}hints\` (n, owner_n) VALUES (5000, 0), (9000, 0), (9001, 0)`),
    );
    await eventually("a look at a new place", 10_000, () => (hints > 1 ? true : undefined));
    hints = 0;
    await withClient((client) => client.query(`INSERT INTO \`${prefix}hints\` (n, owner_n) VALUES (8999, NULL)`));
    await eventually("a hint that was committed after later ones", 10_000, () => (hints > 0 ? true : undefined));
    hints = 0;
    await withClient((client) => client.query(`DELETE FROM \`${prefix}hints\``));
    await eventually("a look after all were taken away", 10_000, () => (hints > 0 ? true : undefined));
    expect(backend.alive?.()).toBe(true);
  });
});
