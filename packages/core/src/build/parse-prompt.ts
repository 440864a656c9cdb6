/** Reads the template of a prompt: `{name}` is a variable, `{{` and `}}` are braces. */
import { buildError, type MillraceError } from "../base/error.ts";

export interface ParsedPrompt {
  /** The text around the variables: one more than there are names. */
  readonly strings: readonly string[];
  /** As they appear; a variable that is used twice stands here twice. */
  readonly names: readonly string[];
}

const piece = /\{\{|\}\}|\{([A-Za-z_$][\w$]*)\}|[{}]/g;

export function parsePrompt(template: string): ParsedPrompt {
  if (typeof template !== "string")
    throw buildError(`prompt() was given ${typeof template}`, 'write prompt("Translate {text}")');
  const strings: string[] = [];
  const names: string[] = [];
  let open = "";
  let end = 0;
  for (const found of template.matchAll(piece)) {
    open += template.slice(end, found.index);
    end = found.index + found[0].length;
    if (found[1] !== undefined) {
      strings.push(open);
      names.push(found[1]);
      open = "";
    } else if (found[0].length === 2) open += found[0].charAt(0);
    else throw unescaped(template, found.index);
  }
  return { strings: [...strings, open + template.slice(end)], names };
}

function unescaped(template: string, index: number): MillraceError {
  const brace = template.charAt(index);
  const lines = template.slice(0, index).split("\n");
  const where = `line ${lines.length}, column ${lines.at(-1)!.length + 1}`;
  const line = template.split("\n")[lines.length - 1]!;
  const column = lines.at(-1)!.length;
  const excerpt = line.slice(Math.max(0, column - 20), column + 20);
  return buildError(
    `a prompt has a ${brace} that belongs to no variable (${where}): ${JSON.stringify(excerpt)}`,
    `a variable is {name}; for a literal brace write ${brace}${brace}`,
  );
}
