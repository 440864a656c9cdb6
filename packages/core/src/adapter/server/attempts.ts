import type { PatientCalls } from "./calls.ts";

/**
 * H16: tries until an answer comes; `wasLost`: an earlier try may have happened, and the work has to look whether it has.
 */
export async function attempting<Result>(
  { attempt, failures }: Pick<PatientCalls, "attempt" | "failures">,
  work: (wasLost: boolean) => Promise<Result>,
): Promise<Result> {
  let wasLost = false;
  return attempt(async () => {
    try {
      return await work(wasLost);
    } catch (error) {
      wasLost ||= failures.isLost(error);
      throw error;
    }
  });
}
