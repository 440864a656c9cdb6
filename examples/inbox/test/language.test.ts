import { describe, expect, it } from "vitest";
import { readMessage } from "../src/corpus.ts";
import { guessLanguage } from "../src/language.ts";
import { parseMail } from "../src/mime.ts";

const languageOf = async (id: string) => guessLanguage((await parseMail(id, await readMessage(id))).body);

describe("the language guess", () => {
  it.each([
    ["easy-ham-1/00001.7c53336b37003a9286aba55d2945844c", "en"],
    ["hard-ham-1/00006.3409dec8ca4fcf2d6e0582554473b5c9", "de"],
    ["spam-1/00257.5c8ef87f8b11d2515df71a7fe46a70b6", "fr"],
    ["spam-1/00252.7e355e0c5fd1de609684544262435579", "zh"],
    ["hard-ham-1/00042.5b7f2a0e87c853e8c8e13d556c1320d2", "ja"],
    ["easy-ham-1/00807.ee4df461634d0e9d9c7ef72046c3fa2c", "unknown"],
  ])("%s is %s", async (id, expected) => {
    expect(await languageOf(id)).toBe(expected);
  });

  it("says unknown where there is too little to say", () => {
    expect(guessLanguage("")).toBe("unknown");
    expect(guessLanguage("the http://the.and.of/to the")).toBe("unknown");
    expect(guessLanguage("qwrt zxcv ".repeat(100))).toBe("unknown");
  });
});
