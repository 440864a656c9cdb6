/** Markup that goes into a page as it is. Only `markup` makes it from data, so that none gets in unescaped. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Piece = string | number | Markup | readonly Markup[];

/** Template tag: the literal parts are markup, every value is text and escaped, unless it is markup itself. */
export function markup(literals: TemplateStringsArray, ...values: readonly Piece[]): Markup {
  return new Markup(literals.map((literal, index) => literal + render(values[index] ?? "")).join(""));
}

function render(piece: Piece): string {
  if (piece instanceof Markup) return piece.text;
  return typeof piece === "object" ? piece.map((part) => part.text).join("\n") : escapeText(String(piece));
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** For element content and quoted attributes. Characters that no page may hold become U+FFFD. */
function escapeText(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g, "\ufffd")
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
