const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
/** Names further apart than this are not mistaken for each other. */
const MAX_DISTANCE = 3;

/** Whether `text` may name a node, block, cell, graph or registered class. */
export function isName(text: string): boolean {
  return NAME.test(text);
}

/**
 * The candidate that `name` was most likely meant to be, for "did you mean": the first of those at the smallest edit
 * distance, at most 3 and at most half the name, so that short names do not suggest each other at random.
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let limit = Math.min(MAX_DISTANCE, Math.ceil(name.length / 2));
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) > limit) continue;
    const distance = editDistance(name, candidate);
    if (distance > limit) continue;
    best = candidate;
    limit = distance - 1;
  }
  return best;
}

/** Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment) that turn `a` into `b`. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min(previous[j]! + 1, row[j - 1]! + 1, substituted);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) cost = Math.min(cost, before[j - 2]! + 1);
      row.push(cost);
    }
    before = previous;
    previous = row;
  }
  return previous[b.length]!;
}
