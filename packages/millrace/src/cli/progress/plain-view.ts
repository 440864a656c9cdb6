/** Progress where nothing can be redrawn (files, pipes, CI): a line every few seconds, none for a short run. */
import { count, plural, rate } from "../format/number.ts";
import { stopwatch } from "../format/time.ts";
import type { ProgressModel, RunProgress } from "./model.ts";
import { amountOf, isOver, type NodeProgress } from "./node-progress.ts";
import type { ProgressView } from "./view.ts";

export interface PlainOptions {
  readonly everyMs?: number;
}

const mostNodes = 4;

export function startPlainView(
  model: ProgressModel,
  write: (text: string) => unknown,
  options: PlainOptions = {},
): ProgressView {
  let seen = -1;
  const timer = setInterval(() => {
    if (model.version === seen) return;
    seen = model.version;
    write(`${plainLine(model.snapshot())}\n`);
  }, options.everyMs ?? 5_000);
  return {
    begun: (runId, graph) => void write(`run ${runId} of ${graph} started\n`),
    phase(phase) {
      write(`${stopwatch(model.snapshot().elapsedMs)} ${phase.text}\n`);
    },
    stop: () => clearInterval(timer),
  };
}

/** `00:05 inbox: read 1,200 items 240/s | parse 900/1,200+ 180/s 35 failed | 8 in flight` */
export function plainLine(run: RunProgress): string {
  const busy = run.nodes.filter((node) => node.total > 0 && !isOver(node));
  const inFlight = run.nodes.reduce((sum, node) => sum + node.inFlight, 0);
  const over = run.nodes.filter(isOver).length;
  const parts = busy.slice(0, mostNodes).map((node) => nodePart(node, run.open));
  if (busy.length > mostNodes) parts.push(plural(busy.length - mostNodes, "more node"));
  if (over > 0) parts.push(`${plural(over, "node")} done`);
  parts.push(`${count(inFlight)} in flight`);
  return `${stopwatch(run.elapsedMs)} ${run.graph}: ${parts.join(" | ")}`;
}

function nodePart(node: NodeProgress, open: boolean): string {
  const failed = node.failed > 0 ? `${count(node.failed)} failed` : "";
  const asked = node.asked > 0 ? `${count(node.asked)} to answer` : "";
  return [node.node, amountOf(node, open), rate(node.perSecond), failed, asked].filter((text) => text !== "").join(" ");
}
