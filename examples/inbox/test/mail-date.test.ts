import { describe, expect, it } from "vitest";
import { parseMailDate } from "../src/mail-date.ts";

const iso = (header: string) => new Date(parseMailDate(header) ?? Number.NaN).toISOString();

describe("a Date header", () => {
  it.each([
    ["Thu, 22 Aug 2002 18:26:25 +0700", "2002-08-22T11:26:25.000Z"],
    ["Thu, 22 Aug 02 07:46:48 EDT", "2002-08-22T11:46:48.000Z"],
    ["Mon, 22 Jul 2002 18:45:45 +0900 (JST)", "2002-07-22T09:45:45.000Z"],
    ["Tue, 06 Aug 2002 06:50:21 PM -0400", "2002-08-06T22:50:21.000Z"],
    ["Wed,29 May 2002 17:51:47 +0800", "2002-05-29T09:51:47.000Z"],
  ])("%s", (header, expected) => {
    expect(iso(header)).toBe(expected);
  });

  it("without a zone is UTC, wherever this runs", () => {
    expect(iso("Wed, 4 Jul 2001 18:55:09")).toBe("2001-07-04T18:55:09.000Z");
    expect(iso("Sat Sep 21 08:18:08 2002")).toBe("2002-09-21T08:18:08.000Z");
  });

  it("with a year counted from 1900 is repaired as RFC 5322 says", () => {
    expect(iso("Thu, 22 Aug 0102 12:07:35 +0800")).toBe("2002-08-22T04:07:35.000Z");
    expect(iso("Thu, 22 Aug 102 12:07:35 +0800")).toBe("2002-08-22T04:07:35.000Z");
  });

  it.each(["", "Thu, 29 Aug 2002 15:36:58 +-0500", "Fri, 30 Aug 02 21:48:08 Eastern Daylight Time", "yesterday"])(
    "%j is not a date",
    (header) => {
      expect(parseMailDate(header)).toBeUndefined();
    },
  );
});
