/** Values as the journal writes them, for whoever must take them out of a run and has no journal. */
export interface ValueCodec {
  /** Throws `Unencodable` naming the path, from `what` on. */
  encode(value: unknown, what: string): string;
  decode(text: string): unknown;
  /** Equal for equal values, and for no others; throws as `encode` does. */
  canonical(value: unknown, what: string): string;
}
