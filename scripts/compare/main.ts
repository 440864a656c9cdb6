/**
 * `npm run compare`: the claims of the README's table, measured. Installs pinned versions of the peers into a temporary
 * folder (the npm registry is all it needs), runs one small script per peer, and prints what happened.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../packages.ts";

interface Peer {
  readonly name: string;
  readonly packages: readonly string[];
  readonly script: string;
}

const peers: readonly Peer[] = [
  { name: "Millrace", packages: [], script: "millrace.mjs" },
  { name: "LangGraph.js", packages: ["@langchain/langgraph@1.7.3", "@langchain/core@1.4.0"], script: "langgraph.mjs" },
  { name: "Temporal", packages: ["@temporalio/client@1.24.0"], script: "temporal.mjs" },
  { name: "Restate", packages: ["@restatedev/restate-sdk-clients@1.17.2"], script: "restate.mjs" },
  { name: "DBOS", packages: ["@dbos-inc/dbos-sdk@5.3.0"], script: "dbos.mjs" },
];

const folder = mkdtempSync(join(tmpdir(), "millrace-compare-"));
try {
  for (const peer of peers) compare(peer);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function compare({ name, packages, script }: Peer): void {
  const place = join(folder, name.replaceAll(/\W/g, ""));
  cpSync(join(import.meta.dirname, "peers"), place, { recursive: true });
  writeFileSync(join(place, "package.json"), JSON.stringify({ private: true, type: "module" }));
  console.log(`\n${name}`);
  if (packages.length === 0) symlinkSync(join(root, "node_modules"), join(place, "node_modules"));
  else if (!install(place, packages)) return;
  if (packages.length > 0) console.log(`  ${packages.join(" ")}: ${installed(place)}`);
  const run = spawnSync(process.execPath, [script], { cwd: place, encoding: "utf8", timeout: 60_000 });
  const said = `${run.stdout}${run.status === 0 ? "" : run.stderr.slice(0, 400)}`.trim();
  console.log(said.replaceAll(/^/gm, "  "));
}

function install(place: string, packages: readonly string[]): boolean {
  const npm = spawnSync("npm", ["install", "--no-audit", "--no-fund", "--silent", ...packages], {
    cwd: place,
    encoding: "utf8",
  });
  if (npm.status !== 0) console.log(`  not compared: npm install failed: ${npm.stderr.trim().slice(0, 200)}`);
  return npm.status === 0;
}

function installed(place: string): string {
  const files = readdirSync(join(place, "node_modules"), { recursive: true, encoding: "utf8" });
  const packages = files.filter((file) => /(^|node_modules\/)(@[^/]+\/)?[^/@.][^/]*\/package\.json$/.test(file)).length;
  const bytes = files.reduce(
    (sum, file) => sum + statSync(join(place, "node_modules", file), { throwIfNoEntry: false })!.size,
    0,
  );
  return `${packages} packages, ${(bytes / 1e6).toFixed(0)} MB`;
}
