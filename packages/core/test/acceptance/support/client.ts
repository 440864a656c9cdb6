import type { CustomEvent } from "../../../src/index.ts";

/** A client that applies events, and how often it had to begin anew. */
export class Client {
  /** By ephemeral generator. */
  texts: Map<string, string> = new Map();
  resets: (boolean | undefined)[] = [];
  place: { seq: number; part: number } = { seq: 0, part: 0 };
  durable: (boolean | undefined)[] = [];

  take(event: CustomEvent): void {
    const { reset, path, of, value, seq, part, durable } = event;
    this.place = { seq, part };
    if (reset === true) {
      this.texts.delete(path);
      this.resets.push(durable);
      return;
    }
    this.durable.push(durable);
    if (of !== undefined) this.texts.set(of, (this.texts.get(of) ?? "") + String(value));
  }

  async read(events: AsyncIterable<CustomEvent>): Promise<this> {
    for await (const event of events) this.take(event);
    return this;
  }
}
