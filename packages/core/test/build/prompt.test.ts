import { expect, test } from "vitest";
import { collect, each, graph, op, prompt, type Ref } from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { open } from "../acceptance/support/engines.ts";
import { refusal } from "./support.ts";

const unescaped: readonly [string, string, string][] = [
  ['Reply as {"text": string}', "{", "line 1, column 10"],
  ["Reply as JSON:\n{\n}", "{", "line 2, column 1"],
  ["an end alone }", "}", "line 1, column 14"],
  ["{{closed once}", "}", "line 1, column 14"],
  ["{not a name}", "{", "line 1, column 1"],
  ["an empty pair {}", "{", "line 1, column 15"],
  ["a start alone {", "{", "line 1, column 15"],
];

test.each(unescaped)("F20 the literal brace of %j is refused with how to write it", (template, brace, where) => {
  const error = refusal(() => prompt(template));
  expect(error.code).toBe("BuildError");
  expect(error.message).toContain(`has a ${brace} that belongs to no variable (${where})`);
  expect(error.message).toContain(`hint: a variable is {name}; for a literal brace write ${brace}${brace}`);
});

test("F20 doubled braces are literal, also around a variable", () => {
  expect(prompt('Reply as {{"n": {n}}}, twice {{{n}}}').render({ n: 2 })).toBe('Reply as {"n": 2}, twice {2}');
  expect(prompt("none {{}}").render({})).toBe("none {}");
  expect(prompt("").render({})).toBe("");
});

test("a prompt lists its variables once each, and a value is never read as a template", () => {
  const p = prompt("{b} {a} {b}");
  expect(p.variables).toEqual(["b", "a"]);
  expect(p.template).toBe("{b} {a} {b}");
  expect(p.render({ a: "{b}", b: "}}" })).toBe("}} {b} }}");
});

test("a variable left out and one too many are refused when the graph is built", () => {
  const p = prompt("{a}{b}");
  const use = (values: unknown) => () => graph("g", () => ({ x: p(values as never) }));
  expect(refusal(use({ a: "1" })).message).toContain("a prompt was given nothing for {b}");
  expect(refusal(use({ a: "1", b: undefined })).message).toContain("a prompt was given nothing for {b}");
  expect(refusal(use({ a: "1", b: "2", c: "3" })).message).toContain("a prompt has no {c}");
  expect(refusal(() => prompt("{toString}").render({} as never)).message).toContain("nothing for {toString}");
  expect(refusal(() => prompt(1 as never)).message).toContain("prompt() was given number");
  expect(refusal(() => p({ a: "1", b: "2" })).message).toContain("prompt()");
});

const check = { check: checkInvariants };
const use = op("use", ({ text }: { text: string }) => ({ text }));

test("a prompt is filled in per item, and a null variable is named and not called missing", async () => {
  const p = prompt("{greeting}, {name}!");
  const g = graph("greet", (input: Ref<{ names: string[]; greeting: string | null }>) => {
    const name = each(input.names);
    return { all: collect(use({ text: p({ name, greeting: input.greeting as Ref<string> }) }).text) };
  });
  const engine = await open(check);
  expect(await engine.run(g, { names: ["Ann", "Bo"], greeting: "Hello" })).toEqual({
    all: ["Hello, Ann!", "Hello, Bo!"],
  });
  const { errors } = await (await engine.start(g, { names: ["Ann"], greeting: null })).result();
  expect(errors[0]!.message).toContain("{greeting} of a prompt is null, not text or a number");
  expect(errors[0]!.message).not.toMatch(/missing/);
});
