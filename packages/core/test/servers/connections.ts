import { expect, test } from "vitest";

import { opened, urlOf, type ServerHarness } from "./harness.ts";
import { appendOf, newRun, pause, readAll } from "./runs.ts";

export interface ConnectionTraits {
  /** Connections that a working owner has at least. */
  readonly endsPerRound: number;
  /** Stands in the URL of the server, and must stand nowhere else. */
  readonly password: string;
  /** Addresses that cannot be read, with the password in them. */
  readonly unreadable: readonly string[];
}

export function connectionTests(harness: ServerHarness, traits: ConnectionTraits): void {
  const { endsPerRound, password, unreadable } = traits;

  test("no password stands in names, errors, or what they were caused by", async () => {
    const url = new URL(urlOf(harness));
    const changed = (change: (address: URL) => void): URL => {
      const address = new URL(url);
      change(address);
      return address;
    };
    const wrong = changed((address) => (address.password = `${password}-wrong`));
    const nowhere = changed((address) => (address.port = "1"));
    const noDatabase = changed((address) => (address.pathname = "/nothing"));
    const at = (address: string): ReturnType<ServerHarness["backend"]> => harness.backend(address, harness.fresh(), {});
    const failures = await Promise.all(
      [wrong, nowhere, noDatabase].map(({ href }) =>
        at(href)
          .open("a")
          .then(String, (error: unknown) => error),
      ),
    );
    const bad = unreadable.map((address) => {
      try {
        return at(address).name;
      } catch (error) {
        return error;
      }
    });
    expectNoPassword([...failures, ...bad], password);
    expect(at(url.href).name).toContain(`:127.0.0.1:${url.port}${url.pathname}#`);
  });

  test("a server that cannot be reached is told at once by open, and whoever calls all the same is refused", async () => {
    const url = new URL(urlOf(harness));
    url.port = "1";
    const gone = harness.backend(url.href, harness.fresh(), {});
    await expect(gone.open("a")).rejects.toMatchObject({ code: "DatabaseUnavailable" });
    await expect(gone.get("r")).rejects.toMatchObject({ code: "BackendNotOpen" });
  });

  test("an owner survives the end of every connection it has, again and again, while it works", async () => {
    const place = harness.fresh();
    const backend = await opened(harness, "a", place, { lease: "3s" });
    let hints = 0;
    backend.onHint?.(() => (hints += 1));
    const ids = Array.from({ length: 5 }, (_, i) => `r${i}`);
    await Promise.all(ids.map((id) => backend.create(newRun(id))));
    const state = { isOver: false, ended: 0 };
    const working = ids.map(async (id) => {
      for (let seq = 2; !state.isOver; seq += 1) {
        expect(await backend.append(appendOf(id, seq))).toEqual({ type: "ok" });
        expect(await backend.get(id)).toMatchObject({ lastSeq: seq });
      }
    });
    for (let i = 0; i < 6; i += 1) {
      await pause(150);
      state.ended += await harness.terminate(place);
    }
    state.isOver = true;
    await Promise.all(working);
    expect(state.ended).toBeGreaterThanOrEqual(6 * endsPerRound);
    for (const id of ids) {
      const rows = await readAll(backend, id);
      expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, i) => i + 1));
      expect(rows.length).toBe((await backend.get(id))?.lastSeq);
    }
    await pause(3_500);
    expect(backend.alive?.()).toBe(true);
    expect(hints).toBeGreaterThan(0);
  });
}

/** No password stands in names, errors, or what they were caused by. */
function expectNoPassword(failures: readonly unknown[], password: string): void {
  for (const failure of failures) {
    expect(failure).toMatchObject({ code: "DatabaseUnavailable" });
    const { message, stack, cause } = failure as Error;
    const all = [message, stack, cause, String(cause), (cause as Error | undefined)?.stack];
    expect(JSON.stringify(all)).not.toContain(password);
  }
}
