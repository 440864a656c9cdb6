import { op } from "../../../src/index.ts";
import { VirtualClock } from "./clock.ts";

/** A clock, ops that take as long as they are told, and what these did. */
export function stage() {
  const state = { clock: new VirtualClock() };
  const notes: string[] = [];
  const note = (what: string): void => void notes.push(`${what} at ${state.clock.elapsed}`);
  const body = async (
    { id, ms }: { id: string; ms: number },
    ctx: { signal: AbortSignal },
  ): Promise<{ id: string }> => {
    note(`${id} starts`);
    ctx.signal.addEventListener("abort", () => note(`${id} aborted`));
    await state.clock.sleep(ms);
    note(`${id} ends`);
    return { id };
  };
  const wait = op("wait", body);
  const charge = op("charge", { effect: "unsafe" }, body);
  const tell = op("tell", ({ id }: { id: string }) => {
    note(`told ${id}`);
    return { told: id };
  });
  return { state, notes, note, wait, charge, tell };
}

export const timeout = (total: number | "1h" | "1m" | "5m") => ({ timeout: { total } });
