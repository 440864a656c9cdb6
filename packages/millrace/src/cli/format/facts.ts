import type { Paint } from "./style.ts";

/** Lines of a name and what is said of it, one below the other. */
export function factLines(facts: readonly (readonly [name: string, text: string])[], paint: Paint): string[] {
  const width = facts.reduce((widest, [name]) => Math.max(widest, name.length), 0);
  return facts.map(([name, text]) => `${paint(name.padEnd(width), "quiet")}  ${text}`);
}
