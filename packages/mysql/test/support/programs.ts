import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

export interface Programs {
  readonly mariadbd: string;
  readonly installDb: string;
}

/** Where distributions put them, besides what PATH says. */
const folders = ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin", "/opt/homebrew/bin"];

/** The programs alone: no service is set up, and none is started. */
const packages = ["mariadb-server-core", "mariadb-client-core"];
const installMs = 180_000;

/** @throws Error that says what is missing. */
export function programs(): Programs {
  const found = find();
  if (found === undefined) throw new Error("there is no mariadbd on this machine");
  return found;
}

/**
 * Looks for the programs of MariaDB, and installs them where this process may: as root, on Debian and its like. Undefined: they
 * are there. Else why they are not.
 */
export function obtainPrograms(): string | undefined {
  if (find() !== undefined) return undefined;
  if (process.getuid?.() !== 0 || !existsSync("/etc/debian_version")) {
    return `there is no mariadbd on this machine, and only root on Debian may install it here: apt-get install ${packages.join(" ")}`;
  }
  console.log(`installing ${packages.join(" ")} for the tests of @millrace/mysql`);
  const failure = apt("update") ?? apt("install", "-y", "--no-install-recommends", ...packages);
  return find() === undefined ? `mariadbd could not be installed: ${failure ?? "apt-get did not bring it"}` : undefined;
}

function apt(...args: readonly string[]): string | undefined {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const options = ["-q", "-o", "DPkg::Lock::Timeout=120", "-o", "Acquire::Retries=2"];
  const { status, error, stderr } = spawnSync("apt-get", [...options, ...args], {
    env,
    encoding: "utf8",
    timeout: installMs,
    maxBuffer: 64 << 20,
  });
  return status === 0 ? undefined : `apt-get ${args[0]}: ${error?.message ?? stderr.slice(-500)}`;
}

function find(): Programs | undefined {
  const mariadbd = locate("mariadbd");
  const installDb = locate("mariadb-install-db");
  return mariadbd === undefined || installDb === undefined ? undefined : { mariadbd, installDb };
}

function locate(name: string): string | undefined {
  const places = [...(process.env["PATH"] ?? "").split(delimiter), ...folders];
  return places.map((folder) => join(folder, name)).find((path) => existsSync(path));
}
