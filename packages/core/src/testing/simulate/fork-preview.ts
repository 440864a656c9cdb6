/** Whether what is said of a fork before it is made is what it then does. */
import { openEngine } from "../../engine/engine.ts";
import type { ForkOptions } from "../../engine/fork-options.ts";
import type { ForkPreview } from "../../engine/history-api.ts";
import type { Backend } from "../../ports/backend.ts";
import type { RandomGraph } from "../random-graph.ts";
import type { Life } from "./lives.ts";

/** Undefined: the fork would be refused. */
export async function previewAt(
  { graph }: RandomGraph,
  backend: Backend,
  runId: string,
  options: ForkOptions,
): Promise<ForkPreview | undefined> {
  const engine = await openEngine({ backend, graphs: [graph], recover: false, warn: () => undefined });
  try {
    return await engine.previewFork(runId, options);
  } catch {
    return undefined;
  } finally {
    await engine.close();
  }
}

/** What the run had done and the fork does again was foretold. `over`: where something was over in the run, by path. */
export function checkForetold(
  preview: ForkPreview,
  lives: readonly Life[],
  over: ReadonlyMap<string, number>,
): string[] {
  const faults: string[] = [];
  const paths = new Map(lives.flatMap(({ entries }) => entries).map(({ path, node }) => [path, node]));
  const again: Record<string, number> = {};
  for (const [path, node] of paths) if (over.has(path)) again[node] = (again[node] ?? 0) + 1;
  for (const [node, count] of Object.entries(again))
    if (count > (preview.again[node] ?? 0))
      faults.push(
        `the preview says that ${node} runs again ${preview.again[node] ?? 0} times, and it did ${count} times`,
      );
  if (preview.ends !== undefined && paths.size > 0) faults.push("the preview says that nothing runs");
  return faults;
}
