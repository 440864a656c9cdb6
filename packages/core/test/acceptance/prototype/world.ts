/** What the bodies of the prototype's workflows did, and what a test lets them do. Bodies depend on their input alone. */
export const world: {
  /** One line per body that ran: what it did to the outside. */
  did: string[];
  /** Holds a body back until the test lets it go on. */
  wait: (what: string, signal: AbortSignal) => Promise<void>;
} = { did: [], wait: () => Promise.resolve() };

/** Says that a body ran, and gives others a turn. */
export async function did(what: string): Promise<void> {
  world.did.push(what);
  await Promise.resolve();
}

/** The outside as it was in the beginning. */
export function newWorld(): void {
  world.did = [];
  world.wait = () => Promise.resolve();
}
