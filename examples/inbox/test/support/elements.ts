/** Elements that never have content, in HTML. */
const VOID = new Set(["meta", "link", "br", "img", "input", "hr"]);

export interface Element {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
}

/**
 * Reads a page as strictly as XML: every `<` opens a tag, every attribute is quoted, every element is closed in order.
 * Throws otherwise. Data that got in unescaped would show as an element nobody wrote.
 */
export function elementsOf(page: string): Element[] {
  const elements: Element[] = [];
  const open: string[] = [];
  let rest = page.replace(/^<!doctype html>/, "").replace(/<style>[^<]*<\/style>/, "");
  while (rest !== "") {
    const text = /^[^<>]+/.exec(rest)?.[0];
    const tag = /^<(\/?)([a-z][a-z0-9]*)((?:\s+[a-zA-Z][a-zA-Z0-9-]*="[^"<>]*")*)\s*(\/?)>/.exec(rest);
    if (text === undefined && tag === null) throw new Error(`not markup: ${rest.slice(0, 60)}`);
    if (tag !== null) follow(tag, open, elements);
    rest = rest.slice((text ?? tag?.[0] ?? "").length);
  }
  if (open.length > 0) throw new Error(`not closed: ${open.join(" ")}`);
  return elements;
}

function follow(tag: RegExpExecArray, open: string[], elements: Element[]): void {
  const [, closing, name = "", attributes = "", selfClosing] = tag;
  if (closing === "/") {
    const expected = open.pop();
    if (expected !== name) throw new Error(`</${name}> closes <${expected}>`);
    return;
  }
  const pairs = attributes.matchAll(/([a-zA-Z][a-zA-Z0-9-]*)="([^"]*)"/g);
  elements.push({ name, attributes: new Map(Array.from(pairs, ([, key = "", value = ""]) => [key, value])) });
  if (selfClosing !== "/" && !VOID.has(name)) open.push(name);
}
