import { type Fenced, fenceStep } from "../../../ports/fence.ts";
import type { CommandOf } from "../protocol.ts";
import { countOpen, fenceForReview, fenceToResume } from "../sql/fence.ts";
import type { Write } from "./write.ts";

/** B15. Done again after a commit of unknown outcome it does no harm: epochs are raised once more. */
export function fenceAllWrite(command: CommandOf<"fenceAll">): Write {
  const { resume, at } = command.input;
  return {
    id: command.id,
    byteLength: 0,
    apply(connection): Fenced {
      const { runs, owned } = connection.get(countOpen) ?? {};
      connection.run(resume ? fenceToResume : fenceForReview, fenceStep, at);
      return { runs: Number(runs), owned: Number(owned) };
    },
    hints: () => true,
  };
}
