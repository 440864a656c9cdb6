import { describe, expect, it } from "vitest";
import { groupOf, labelOf, messageIds, readMessage, UnknownMessage } from "../src/corpus.ts";
import { splitOf, TRAIN_PERCENT } from "../src/split.ts";

describe("the corpus", () => {
  it("lists its 6,046 messages in five groups, each once", () => {
    const groups = Map.groupBy(messageIds(), groupOf);
    expect(Object.fromEntries([...groups].map(([group, ids]) => [group, ids.length]))).toEqual({
      "easy-ham-1": 2500,
      "easy-ham-2": 1400,
      "hard-ham-1": 250,
      "spam-1": 500,
      "spam-2": 1396,
    });
  });

  it("labels a message by its group", () => {
    expect(labelOf("hard-ham-1/00001.7c7d6921e671bbe18ebb5f893cd9bb35")).toBe("ham");
    expect(labelOf("spam-2/00001.317e78fa8ee2f54cd4890fdc09ba8176")).toBe("spam");
  });

  it("reads a message as raw bytes", async () => {
    const raw = await readMessage("easy-ham-1/00001.7c53336b37003a9286aba55d2945844c");
    expect(Buffer.from(raw).toString("latin1")).toMatch(/^From exmh-workers-admin@redhat.com {2}Thu Aug 22/);
  });

  it("refuses an id it does not list, also one that points elsewhere", async () => {
    await expect(readMessage("spam-1/nothing")).rejects.toThrow(UnknownMessage);
    await expect(readMessage("../package")).rejects.toThrow('the corpus has no message "../package"');
  });

  it("splits by id alone, near the wanted share", () => {
    const ids = [...messageIds()];
    const train = ids.filter((id) => splitOf(id) === "train").length;
    expect(train / ids.length).toBeCloseTo(TRAIN_PERCENT / 100, 1);
    expect(splitOf("spam-2/00001.317e78fa8ee2f54cd4890fdc09ba8176")).toBe("train");
  });
});
