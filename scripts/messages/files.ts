import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../packages.ts";
import { type Area, parseArea, refuseDuplicates } from "./parse.ts";
import { renderModule, renderPage } from "./render.ts";

/** As the page has them. */
const order = [
  "build",
  "findings",
  "starting",
  "forks",
  "state-graphs",
  "workflows",
  "ending",
  "nodes",
  "journal",
  "database",
  "secrets",
  "store",
  "testing",
  "cli",
];

export interface Generated {
  /** From the root. */
  readonly path: string;
  readonly text: string;
}

/** Everything that is generated from the Markdown as it is now. */
export function generate(): Generated[] {
  const core = readFolder("packages/core/messages");
  const cli = readFolder("packages/millrace/messages");
  const all = new Map([...core, ...cli]);
  const unknown = [...all.keys()].find((name) => !order.includes(name));
  if (unknown !== undefined) throw new Error(`${unknown}.md has no place in scripts/messages/files.ts`);
  const areas = order.flatMap((name) => all.get(name) ?? []);
  refuseDuplicates(areas);
  const findings = core.get("findings");
  if (findings === undefined) throw new Error("there is no findings.md");
  const errors = areas.filter((area) => area !== findings && [...core.values()].includes(area));
  return [
    { path: "packages/core/src/base/messages.generated.ts", text: renderModule({ errors, findings }) },
    { path: "docs/errors.md", text: renderPage(areas) },
  ];
}

export function readFolder(folder: string): Map<string, Area> {
  const files = readdirSync(join(root, folder)).filter((file) => file.endsWith(".md"));
  return new Map(
    files.map((file) => [
      file.slice(0, -".md".length),
      parseArea(`${folder}/${file}`, readFileSync(join(root, folder, file), "utf8")),
    ]),
  );
}
