/** What ran of the definitions whose journals are kept, by the names of their nodes. */
export const ran: string[] = [];

/** How often each did. */
export function tally(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
