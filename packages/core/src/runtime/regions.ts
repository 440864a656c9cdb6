/** What came of the items of ephemeral generators, recorded when they are through or end what is around them (Z1, Z3). */
import { deepFreeze } from "../base/freeze.ts";
import type { Settled } from "../events/record.ts";
import { brokenOffOf, settledOf } from "../scheduler/ephemeral.ts";
import { brokenOffEvent, settledEvent } from "../scheduler/event.ts";
import { collectorsOf } from "../state/collector-words.ts";
import { isCurrent } from "../state/pending.ts";
import type { Region } from "../state/region.ts";
import type { StreamInstance } from "../state/stream.ts";
import { reportFailure } from "./failure.ts";
import type { Runner } from "./runner.ts";

export function recordRegions(runner: Runner): void {
  const { state } = runner;
  for (let stream = state.regions?.shift(); stream !== undefined; stream = state.regions?.shift()) {
    if (runner.over) return;
    const region = stream.region as Region;
    if (!isCurrent(region.pending)) continue;
    if (region.cut === null) settle(runner, stream, region);
    else breakOff(runner, region);
  }
}

/** What was made of the items is the generator's output: what cannot be kept is its failure. */
function settle(runner: Runner, stream: StreamInstance, { pending }: Region): void {
  const { recorder, state } = runner;
  const settled: Settled = { ...settledOf(stream), collectors: collectorsOf(state.program.plan, stream.plan) };
  let encoded = "";
  try {
    if (recorder !== null) encoded = recorder.encode(settled, "what was made of its items");
  } catch (error) {
    reportFailure(runner, pending, error);
    return;
  }
  if (recorder !== null) deepFreeze(settled);
  runner.feed(settledEvent(pending, settled), encoded);
}

function breakOff(runner: Runner, region: Region): void {
  const { recorder, state } = runner;
  const broken = brokenOffOf(state, region);
  let encoded = "";
  try {
    if (recorder !== null) encoded = recorder.encode(broken, "a failure among its items");
  } catch (error) {
    reportFailure(runner, region.pending, error);
    return;
  }
  runner.feed(brokenOffEvent(region.pending, broken), encoded);
}
