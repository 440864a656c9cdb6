/** Every command with `--db` at the address of a database on a server: real servers, real commands. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { graph, op, openEngine, type Ref } from "@millrace/core";

import { startServerProcess } from "../../../core/test/servers/server-process.ts";
import { backendAt, nameDatabase } from "../../src/cli/servers/address.ts";
import { fixture, hasStack, linesOf, millrace, start, temporaryFolder, until, type Finished } from "./cli.ts";

const secret = "s3cret-canary";
const approval = `${fixture("asks.ts")}#approval`;

export interface ServerKind {
  readonly kind: "postgres" | "mysql";
  /** What names the place of these runs in the address. */
  readonly scope: string;
}

function json({ stdout }: Finished): Record<string, unknown> {
  return JSON.parse(stdout) as Record<string, unknown>;
}

export function serverTests({ kind, scope }: ServerKind): void {
  describe(`a ${kind} database`, () => {
    let server: { readonly url: string; stop(): Promise<void> } | undefined;
    let url = "";
    let cwd = "";

    beforeAll(async () => {
      const started = await startServerProcess(join(import.meta.dirname, `../../../${kind}/test/programs/serve.ts`));
      server = started;
      url = `${started.url}${scope}`;
      cwd = temporaryFolder();
    });
    afterAll(() => server?.stop());

    /** Runs in another place on the same server. */
    function at(name: string): string {
      const other = new URL(url);
      for (const [key, value] of other.searchParams) other.searchParams.set(key, value.replace("cli", name));
      return other.href;
    }

    /** Whatever a command says, it does not say the password, nor where it was thrown. */
    async function call(db: string, ...args: string[]): Promise<Finished> {
      const finished = await millrace([...args, "--db", db], { cwd });
      const said = finished.stdout + finished.stderr;
      expect([said.includes(secret), hasStack(said)]).toEqual([false, false]);
      return finished;
    }

    test("a run is started, listed, asked, answered from another process, and counted; nothing prints the password", async () => {
      expect(url).toContain(secret);
      const input = JSON.stringify({ to: "you", ledger: join(cwd, "ledger") });
      const asked = await call(url, "run", approval, "--input", input, "--id", "one");
      expect(asked.code).toBe(4);
      expect(asked.stderr).toContain(`--db '${kind}://`);
      const { runs } = json(await call(url, "runs", "--json"));
      expect(runs).toEqual([expect.objectContaining({ id: "one", status: "interrupted" })]);
      expect((await call(url, "inbox")).stdout).toContain("Send it?");
      const answered = await call(url, "answer", "one", "approve", '{"approved":true}', "--graph", approval, "--json");
      expect([answered.code, json(answered)]).toEqual([0, expect.objectContaining({ status: "completed" })]);
      expect((await call(url, "show", "one")).code).toBe(0);
      expect(json(await call(url, "db", "stats", "--json"))).toMatchObject({ runs: { completed: 1 }, owners: 0 });
    });

    test("R21 the store of a server is put into, read, searched, counted, deleted from and pruned", async () => {
      const place = at("kept");
      expect((await call(place, "store", "put", "users/ann", "likes", '{"text":"Green TEA"}')).code).toBe(0);
      expect((await call(place, "store", "put", "users/bob", "likes", "1", "--ttl", "1ms")).code).toBe(0);
      expect(json(await call(place, "store", "get", "users/ann", "likes"))).toEqual({ text: "Green TEA" });
      const found = await call(place, "store", "search", "users", "--query", "tea", "--json");
      expect(json(found)).toMatchObject({ items: [{ namespace: ["users", "ann"], key: "likes" }], more: false });
      expect(json(await call(place, "db", "prune", "--older-than", "1d", "--yes", "--json"))).toMatchObject({
        entries: 1,
      });
      expect(json(await call(place, "db", "stats", "--json"))).toMatchObject({ entries: 1 });
      expect((await call(place, "store", "delete", "users/ann", "likes")).code).toBe(0);
      expect((await call(place, "store", "get", "users/ann", "likes")).code).toBe(3);
    });

    test("what looks after files looks after servers where it can, and says so where it cannot", async () => {
      expect(json(await call(url, "db", "fsck", "--json"))).toMatchObject({ ok: true, file: [] });
      expect((await call(url, "db", "migrate")).stdout).toMatch(/ has schema \d+\n$/);
      expect(json(await call(url, "db", "migrate", "--json"))).toMatchObject({ from: null });
      expect((await call(url, "doctor")).code).toBe(0);
      const vacuum = await call(url, "db", "vacuum");
      expect([vacuum.code, vacuum.stdout]).toEqual([2, ""]);
      expect(vacuum.stderr).toContain("is no file");
    });

    test("an address without its password is completed by MILLRACE_DB, so that commands can be pasted as they are shown", async () => {
      const { username, host, pathname, protocol } = new URL(url);
      const shown = `${protocol}//${username}@${host}${pathname}${scope}`;
      const pasted = await millrace(["runs", "--db", shown], { cwd, env: { MILLRACE_DB: url } });
      expect(pasted.code).toBe(0);
      const refused = await call(shown, "runs");
      expect([refused.code, refused.stdout]).toEqual([1, ""]);
    });

    test("mistakes are told by name, and no secret of theirs", async () => {
      const unknown = await call(url, "show", "nobody");
      expect([unknown.code, unknown.stderr.includes('there is no run "nobody" in')]).toEqual([3, true]);
      const wrong = new URL(url);
      wrong.password = `${secret}-wrong`;
      expect((await call(wrong.href, "runs")).stderr).toMatch(/^error: .*(refused the connection|password)/);
      wrong.port = "1";
      expect((await call(wrong.href, "runs")).stderr).toContain("there is no connection to the server");
      const scoped = url.replace(/=cli_?$/, `=${encodeURIComponent("x; DROP TABLE y")}`);
      expect(await call(scoped, "runs")).toMatchObject({ code: 2, stdout: "" });
    });

    describe("what is done with runs on it", () => {
      const forks = (graph: string): string[] => ["--graph", `${fixture("forks.ts")}#${graph}`];
      const asks = (graph: string): string[] => ["--graph", `${fixture("asks.ts")}#${graph}`];
      let db = "";
      const run = (file: string, graphName: string, id: string, input: object): Promise<Finished> =>
        call(
          db,
          "run",
          `${fixture(`${file}.ts`)}#${graphName}`,
          "--input",
          JSON.stringify(input),
          "--id",
          id,
          "--no-trace",
          "--quiet",
        );
      /** What bodies did since it was asked the last time. */
      const done = (): string[] => {
        const lines = linesOf(join(cwd, "ledger"));
        rmSync(join(cwd, "ledger"), { force: true });
        return lines;
      };

      beforeAll(async () => {
        db = at("tools");
        await Promise.all([
          run("forks", "survey", "one", { urls: ["a", "b"] }),
          run("forks", "survey", "failed", { urls: ["a", "down"] }),
          run("asks", "approval", "asking", { to: "you", ledger: join(cwd, "asked") }),
        ]);
        done();
      });

      test("R15 P5.2 its history is told, and a fork does again what another output changes; diff tells what", async () => {
        const before = await call(db, "history", "one", "--json");
        const entries = before.stdout
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line) as { seq: number });
        expect([before.code, entries.map(({ seq }) => seq)]).toEqual([0, entries.map((_, i) => i + 1)]);
        const other = 'survey/input.urls[1]/fetchPage={"html":"<B!>","size":7,"apiKey":""}';
        const forked = await call(db, "fork", "one", "--set", other, ...forks("survey"), "--id", "set", "--no-trace");
        expect([forked.code, json(forked)]).toEqual([
          0,
          { text: "<a>,<B!>", counted: 8, said: "short <a>,<B!>", size: 200_000 },
        ]);
        expect(done().toSorted()).toEqual(["count 8", "list <a>,<B!>", "short <a>,<B!>"]);
        const [differs, after] = await Promise.all([
          call(db, "diff", "one", "set", "--json"),
          call(db, "history", "one", "--json"),
        ]);
        expect([differs.code, json(differs)]).toEqual([1, expect.objectContaining({ same: false })]);
        expect(after.stdout).toBe(before.stdout);
      });

      test("R15 retry does again what failed, and nothing that finished", async () => {
        writeFileSync(join(cwd, "up"), "");
        const { code, stdout } = await call(db, "retry", "failed", ...forks("survey"), "--id", "again", "--no-trace");
        expect([code, (JSON.parse(stdout) as { text: string }).text]).toEqual([0, "<a>,<down>"]);
        expect(done()).not.toContain("fetch a");
      });

      test("check tells which waiting runs would not go on with changed code", async () => {
        const check = (code: string): Promise<Finished> => millrace(["check", "--against", db, fixture(code)], { cwd });
        const fits = await check("asks.ts");
        expect([fits.code, fits.stderr]).toEqual([0, expect.stringContaining("all go on with this code")]);
        const breaks = await check("approval-changed.ts");
        expect([breaks.code, breaks.stdout.includes("asking")]).toEqual([1, true]);
      });

      test("runs go from it into a file, and from there to another place on it, byte for byte, and go on there", async () => {
        const other = at("copied");
        const out = await call(db, "export", "one", "asking", "--out", "some.jsonl");
        expect([out.code, out.stderr]).toEqual([0, "exported 2 runs to some.jsonl\n"]);
        expect((await call("some.db", "import", "some.jsonl")).stderr).toBe("imported 2 runs\n");
        const between = await call("some.db", "export", "one", "asking");
        expect(between.stdout).toBe(readFileSync(join(cwd, "some.jsonl"), "utf8"));
        writeFileSync(join(cwd, "between.jsonl"), between.stdout);
        expect((await call(other, "import", "between.jsonl")).stderr).toBe("imported 2 runs\n");
        expect((await call(other, "export", "one", "asking")).stdout).toBe(between.stdout);
        const again = json(await call(other, "import", "some.jsonl", "--json")) as { present: string[] };
        expect(again).toEqual({ imported: [], present: expect.arrayContaining(["asking", "one"]) as string[] });
        const answered = await call(other, "answer", "asking", "approve", '{"approved":true}', ...asks("approval"));
        expect([answered.code, json(answered)]).toEqual([0, { sent: "send you" }]);
        expect(json(await call(other, "db", "fsck", "--json"))).toMatchObject({ ok: true, runs: 2 });
      });

      async function isRecorded(run: string, kind: string): Promise<void> {
        for (let tries = 0; tries < 50; tries++)
          if ((await call(db, "history", run, "--json")).stdout.includes(`"${kind}"`)) return;
        throw new Error(`${run} has no ${kind}`);
      }

      test("R09 drain holds a run that another process drives, and cancel ends it", async () => {
        const ledger = join(cwd, "steps");
        const args = ["run", `${fixture("asks.ts")}#steps`, "--input", JSON.stringify({ ledger }), "--id", "steps"];
        const running = start([...args, "--db", db], { cwd });
        await until(() => linesOf(ledger).length > 0, running);
        const drained = await call(db, "drain", "steps");
        // The engine hears of it when it looks next: a step that ended before that would be followed by another one.
        await isRecorded("steps", "drainRequested");
        writeFileSync(`${ledger}.1`, "");
        const left = await running.finished;
        expect([drained.code, left.code, `${left.stdout}${left.stderr}`.includes(secret)]).toEqual([0, 6, false]);
        expect(json(await call(db, "show", "steps", "--json"))).toMatchObject({ status: "drained" });
        expect((await call(db, "cancel", "steps", ...asks("steps"))).code).toBe(0);
        expect(json(await call(db, "show", "steps", "--json"))).toMatchObject({ status: "cancelled" });
        expect(linesOf(ledger)).toEqual(["step 1"]);
      });

      test("H24 compact removes what is below the last snapshot", async () => {
        const place = at("compacted");
        const engine = await openEngine({
          backend: await backendAt(nameDatabase(place), cwd),
          snapshots: { after: 1, share: Infinity },
        });
        const step = op("step", { async: true }, async ({ n }: { n: number }) => ({ n }));
        const chain = graph("chain", (input: Ref<{ n: number }>) => {
          let { n } = input;
          for (let i = 0; i < 5; i++) n = step({ n }, { name: `step${i}` }).n;
          return { n };
        });
        await engine.run(chain, { n: 1 }, { id: "chained" });
        await engine.close();
        const compacted = json(await call(place, "db", "compact", "--json"));
        expect(compacted).toMatchObject({ runs: [{ runId: "chained", floor: expect.any(Number) as number }] });
        const shown = await call(place, "history", "chained");
        expect([shown.code, shown.stderr.includes("compacted")]).toEqual([5, true]);
        expect(json(await call(place, "db", "fsck", "--json"))).toMatchObject({ ok: true });
      });

      test("H27 H28 restored holds open runs for a review, which resume ends; prune deletes what ended and nothing else", async () => {
        const place = at("restored");
        expect((await call(db, "export", "one", "failed", "asking", "--out", "rest.jsonl")).code).toBe(0);
        expect((await call(place, "import", "rest.jsonl")).code).toBe(0);
        expect(json(await call(place, "db", "restored", "--json"))).toEqual({ runs: 1, owned: 0, held: 1, engines: 0 });
        expect(json(await call(place, "show", "asking", "--json"))).toMatchObject({ status: "needs_review" });
        expect((await call(place, "resume", "asking", ...asks("approval"))).code).toBe(4);
        const prune = (...args: string[]): Promise<Finished> =>
          call(place, "db", "prune", "--older-than", "0s", ...args);
        expect((await prune("--dry-run")).stdout).toMatch(/^2 runs that ended before /);
        expect(json(await prune("--status", "failed", "--yes", "--json"))).toMatchObject({ runs: 1 });
        expect(json(await prune("--yes", "--json"))).toMatchObject({ runs: 1 });
        const { runs } = json(await call(place, "runs", "--json"));
        expect(runs).toEqual([expect.objectContaining({ id: "asking", status: "interrupted" })]);
      });
    });
  });
}
