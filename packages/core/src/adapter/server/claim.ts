import { randomUUID } from "node:crypto";

import type { ClaimRequest, RunRow } from "../../ports/backend.ts";
import { isStorable } from "../handle/texts.ts";
import { attempting } from "./attempts.ts";
import type { ClaimedRow, PatientCalls } from "./calls.ts";
import { toRunRow } from "./stored-row.ts";

/**
 * B6. When there are fewer than asked for, some may be locked: by another claim, which is none of ours, or by the connection of
 * a dead owner that stands still in the middle of a statement. The latter are ended, and the runs asked for once more (H3).
 */
export async function claimRuns(calls: PatientCalls, asked: ClaimRequest): Promise<RunRow[]> {
  const { runId, limit } = asked;
  if (limit <= 0 || (runId !== undefined && !isStorable(runId))) return [];
  const request = storableOf(asked);
  const claimed = await claimOnce(calls, request);
  if (claimed.length < limit && (await calls.attempt(() => calls.freeHeld(request)))) {
    claimed.push(...(await claimOnce(calls, { ...request, limit: limit - claimed.length })));
  }
  return claimed.sort((a, b) => a.createdAt - b.createdAt || a.n - b.n).map(toRunRow);
}

/** H16: a claim whose answer did not come has left its mark on what it took. */
async function claimOnce(calls: PatientCalls, request: ClaimRequest): Promise<ClaimedRow[]> {
  const mark = randomUUID();
  return attempting(calls, async (wasLost) => {
    const earlier = wasLost ? await calls.findClaimed(mark) : [];
    return earlier.length > 0 ? earlier : calls.claim(request, mark);
  });
}

/** Without what no row can be or have. */
function storableOf(request: ClaimRequest): ClaimRequest {
  const { graphs, except = [] } = request;
  return {
    ...request,
    graphs: graphs?.filter(({ graph, fingerprint = "" }) => isStorable(graph) && isStorable(fingerprint)),
    except: except.filter(isStorable),
  };
}
