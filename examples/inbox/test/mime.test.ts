import { describe, expect, it } from "vitest";
import { readMessage } from "../src/corpus.ts";
import { parseMail } from "../src/mime.ts";
import { UnreadableMail } from "../src/unreadable-mail.ts";

const parseCorpus = async (id: string) => parseMail(id, await readMessage(id));
const parseText = (text: string) => parseMail("made/up", new TextEncoder().encode(text.replaceAll("\n", "\r\n")));

describe("parsing a message", () => {
  it("gives sender, date, subject, ancestors and body of a list mail", async () => {
    const mail = await parseCorpus("easy-ham-1/00001.7c53336b37003a9286aba55d2945844c");
    expect(mail).toMatchObject({
      from: { address: "kre@munnari.oz.au", name: "Robert Elz" },
      date: Date.UTC(2002, 7, 22, 11, 26, 25),
      subject: "Re: New Sequences Window",
      messageId: "13258.1030015585@munnari.OZ.AU",
      inReplyTo: "1029945287.4797.TMDA@deepeddy.vircio.com",
      attachments: 0,
      html: "",
    });
    expect(mail.references).toHaveLength(5);
    expect(mail.body).toContain("I can't reproduce this error.");
  });

  it("takes the text of the HTML where there is no other", async () => {
    const mail = await parseText(
      "From: a@b.c\nDate: Tue, 1 Jan 2002 00:00:00 GMT\nContent-Type: text/html\n\n<p>Hello <b>you</b><script>no()</script></p>",
    );
    expect(mail.body.split(/\s+/).filter(Boolean)).toEqual(["Hello", "you"]);
  });

  it("takes the first mailbox of a group as sender", async () => {
    const mail = await parseText("From: Team: A@b.c, d@e.f;\nDate: Tue, 1 Jan 2002 00:00:00 GMT\n\nbody");
    expect(mail.from.address).toBe("a@b.c");
  });
});

describe("a message that cannot be triaged fails with a reason", () => {
  it.each([
    ["spam-2/00049.83a0ff17486ed3866aeed9f45f5b3389", "no-from", "From has no address"],
    ["spam-1/00302.544366fa4cd0f5d210dd8443a1c2c95a", "bad-date", "Date is not a date: 2002/09/14 Sat 02:29:32 CDT"],
    ["spam-2/01214.973b4598b630a989967ff69b19f95d4a", "no-body", "there is no text or HTML body"],
  ])("%s: %s", async (id, code, message) => {
    const failure = await parseCorpus(id).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UnreadableMail);
    expect(failure).toMatchObject({ name: "UnreadableMail", code, message, data: { id } });
  });

  it("no Date at all", async () => {
    await expect(parseText("From: a@b.c\n\nbody")).rejects.toMatchObject({ code: "no-date" });
  });

  it("MIME nested beyond the parser's limit", async () => {
    const nested = Array.from({ length: 300 }, (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\n\n--b${n}\n`);
    await expect(parseText(nested.join(""))).rejects.toMatchObject({ code: "bad-mime" });
  });
});
