import { describe, expect, it } from "vitest";
import { groupThreads } from "../src/threads.ts";

const DAY = 24 * 60 * 60 * 1000;
let clock = 0;
const mail = (
  subject: string,
  messageId: string | null,
  parents: string[] = [],
  address = "a@b.c",
  date = ++clock,
) => ({
  subject,
  messageId,
  parents,
  date,
  from: { address, name: "" },
});

describe("threads", () => {
  it("follow References and In-Reply-To, also through messages that are missing", () => {
    const mails = [
      mail("Plan", "1"),
      mail("Re: Plan", "2", ["1"], "d@e.f"),
      mail("Other", "3"),
      mail("x", "4", ["0"]),
      mail("y", "5", ["0"]),
    ];
    expect(groupThreads(mails).map(({ subject, messages, participants }) => [subject, messages, participants])).toEqual(
      [
        ["Plan", 2, 2],
        ["x", 2, 1],
      ],
    );
  });

  it("join a reply without References by its subject, if it comes in time", () => {
    const mails = [
      mail("[list] Plan", "1", [], "a@b.c", 0),
      mail("RE: [list] plan", "2", [], "a@b.c", 13 * DAY),
      mail("Re: Plan", "3", [], "a@b.c", 40 * DAY),
      mail("Plan", "4", [], "a@b.c", 41 * DAY),
    ];
    expect(groupThreads(mails)).toEqual([{ subject: "Plan", messages: 2, participants: 1, first: 0, last: 13 * DAY }]);
  });

  it("do not depend on the order of arrival", () => {
    const mails = Array.from({ length: 40 }, (_, n) => mail(`s${n % 7}`, `${n}`, n > 6 ? [`${n - 7}`] : []));
    expect(groupThreads(mails.toReversed())).toEqual(groupThreads(mails));
    expect(groupThreads(mails)).toHaveLength(7);
  });

  it("keep messages without a Message-ID apart", () => {
    expect(groupThreads([mail("a", null), mail("b", null), mail("", null), mail("Re:", null)])).toEqual([]);
  });
});
