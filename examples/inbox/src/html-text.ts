/** Text of an HTML body: no tags, comments, scripts or styles. One pass, linear in the input, whatever is in it. */
export function htmlToText(html: string): string {
  const parts: string[] = [];
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    if (open < 0) break;
    parts.push(html.slice(at, open));
    const end = endOfMarkup(html, open);
    if (end < 0) return decodeEntities(parts.join(" "));
    at = end;
  }
  parts.push(html.slice(at));
  return decodeEntities(parts.join(" "));
}

/** Index after the markup that starts at `open`, or -1 when it never ends. */
function endOfMarkup(html: string, open: number): number {
  if (html.startsWith("<!--", open)) return after(html, "-->", open + 4);
  const tagEnd = after(html, ">", open);
  const name = /^<(script|style)\b/i.exec(html.slice(open, open + 8))?.[1];
  if (name === undefined || tagEnd < 0) return tagEnd;
  const closing = new RegExp(`</${name}`, "gi");
  closing.lastIndex = tagEnd;
  return closing.test(html) ? after(html, ">", closing.lastIndex) : -1;
}

function after(text: string, mark: string, from: number): number {
  const index = text.indexOf(mark, from);
  return index < 0 ? -1 : index + mark.length;
}

const NAMED = new Map(Object.entries({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", szlig: "ß" }));

/** `&eacute;`: a letter and the name of its accent. */
const ACCENTS: Readonly<Record<string, string>> = {
  acute: "\u0301",
  grave: "\u0300",
  circ: "\u0302",
  tilde: "\u0303",
  uml: "\u0308",
  cedil: "\u0327",
};

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|([a-z]{2,7}));/gi,
    (whole, code: string | undefined, name: string | undefined) => {
      if (name !== undefined) return NAMED.get(name.toLowerCase()) ?? accented(name) ?? whole;
      const point = Number(code);
      return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : " ";
    },
  );
}

function accented(name: string): string | undefined {
  const accent = ACCENTS[name.slice(1).toLowerCase()];
  return accent === undefined ? undefined : `${name.slice(0, 1)}${accent}`.normalize("NFC");
}
