import { valueMatrix as small } from "../../journal/codec/value-matrix.ts";

/** A value of every kind that a journal must keep, made anew at each call; also those that go to blobs. */
export const valueMatrix: Readonly<Record<string, () => unknown>> = {
  ...small,
  "text of 100,000 characters, which goes to a blob": () => "mühle ".repeat(20_000),
  "a list of large and small values": () => [new Uint8Array(100_000).fill(7), new Map([["x", "y".repeat(70_000)]])],
};
