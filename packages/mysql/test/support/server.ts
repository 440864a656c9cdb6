import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statfsSync,
} from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createConnection } from "mysql2/promise";

import { programs } from "./programs.ts";

/** Stands in URLs of tests, and must stand nowhere else. */
export const password = "s3cret-canary";

export interface Server {
  /** May do everything; database `test`. */
  readonly url: string;
  /** Of the server as it runs now. */
  pid(): number;
  /** Ends at once, as a crash does, and comes back; `meanwhile` is how long it stays away, in milliseconds. */
  restart(meanwhile?: number): Promise<void>;
  stop(): Promise<void>;
}

/** Of Debian and its like. The server would run as root only if it were told to. */
const nobody = { uid: 65_534, gid: 65_534 };

/** A small server: what it can hold is not what is tested. `datadir` is made by `mariadb-install-db` before. */
const small = [
  "--innodb-buffer-pool-size=64M",
  "--innodb-log-file-size=48M",
  "--max-connections=300",
  "--performance-schema=OFF",
  "--skip-name-resolve",
  "--skip-log-bin",
  "--log-warnings=1",
];

/** What the server needs there. */
const roomBytes = 1 << 30;

/** Memory, where there is some as a file system: tests wait for what a server does, not for a disk. */
function folder(): string {
  const memory = "/dev/shm";
  try {
    accessSync(memory, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize > roomBytes ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}

/**
 * A MariaDB server of our own, on a free port of the loopback address, in a folder that goes with it, as an unprivileged user
 * when we are root.
 */
export async function startServer(flags: readonly string[] = []): Promise<Server> {
  const { mariadbd, installDb } = programs();
  const parent = mkdtempSync(join(folder(), "millrace-mysql-"));
  const own = process.getuid?.() === 0 ? nobody : {};
  // Its own user, when we are root, has to get through.
  chmodSync(parent, 0o755);
  const datadir = join(parent, "data");
  mkdirSync(datadir, { mode: 0o700 });
  const temporary = join(parent, "tmp");
  mkdirSync(temporary, { mode: 0o700 });
  if (own === nobody) for (const folder of [datadir, temporary]) chownSync(folder, nobody.uid, nobody.gid);
  const port = await freePort();
  const log: string[] = [];
  let running: ChildProcess | undefined;
  const start = async (...more: readonly string[]): Promise<void> => {
    const where = [`--datadir=${datadir}`, `--socket=${join(datadir, "s")}`, `--pid-file=${join(datadir, "pid")}`];
    // Of its own: a server that starts takes away the temporary tables it finds there, also those of another that runs.
    where.push(`--tmpdir=${temporary}`);
    const net = ["--bind-address=127.0.0.1", `--port=${port}`];
    const args = ["--no-defaults", ...where, ...net, ...small, ...flags, ...more];
    const child = spawn(mariadbd, args, { ...own, cwd: datadir, stdio: ["ignore", "ignore", "pipe"] });
    await new Promise<void>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", () => reject(new Error(`MariaDB did not start:\n${log.join("")}`)));
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        log.push(text);
        if (log.length > 1_000) log.shift();
        if (text.includes("ready for connections")) resolve();
      });
    });
    running = child;
    child.once("exit", (code, signal) => {
      if (running !== child) return;
      // Nobody asked it to: whoever reads the failures that come of it has to know why, and the tests behind need a server.
      console.error(
        `\n*** MariaDB (pid ${child.pid}) ended by itself, ${signal ?? `exit code ${code}`}:\n${log.join("")}`,
      );
      running = undefined;
      start().catch((error: unknown) => console.error(String(error)));
    });
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const child = running;
    running = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  };
  const stop = async (): Promise<void> => {
    await end("SIGKILL");
    rmSync(parent, { recursive: true, force: true });
  };
  try {
    initialise(installDb, parent, { datadir, temporary }, own);
    await start();
    await makeUser(port);
  } catch (error) {
    await stop();
    throw new Error(`MariaDB could not be set up:\n${log.join("")}`, { cause: error });
  }
  return {
    url: `mysql://app:${password}@127.0.0.1:${port}/test`,
    pid: () => running?.pid ?? 0,
    async restart(meanwhile = 0) {
      await end("SIGKILL");
      await pause(meanwhile);
      await start();
    },
    stop,
  };
}

interface Folders {
  readonly datadir: string;
  readonly temporary: string;
}

function initialise(
  program: string,
  parent: string,
  { datadir, temporary }: Folders,
  own: Partial<typeof nobody>,
): void {
  const args = ["--no-defaults", `--datadir=${datadir}`, "--auth-root-authentication-method=normal", "--skip-test-db"];
  const made = spawnSync(program, args, {
    ...own,
    cwd: datadir,
    encoding: "utf8",
    env: { ...process.env, TMPDIR: temporary },
  });
  if (made.status === 0 && existsSync(join(datadir, "mysql"))) return;
  throw made.error ?? new Error(`mariadb-install-db in ${parent}: ${made.stdout}${made.stderr}`);
}

/** `root` without a password is who the server was made with, and nobody else gets through: it listens on loopback. */
async function makeUser(port: number): Promise<void> {
  const root = await createConnection({ host: "127.0.0.1", port, user: "root" });
  await root.query("CREATE DATABASE test");
  await root.query(`CREATE USER app@'%' IDENTIFIED BY '${password}'`);
  await root.query("GRANT ALL PRIVILEGES ON *.* TO app@'%' WITH GRANT OPTION");
  await root.query("DROP USER IF EXISTS root@'127.0.0.1', root@'::1'");
  await root.end();
}

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  listener.close();
  await once(listener, "close");
  return port;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
