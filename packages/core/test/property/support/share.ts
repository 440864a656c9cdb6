/**
 * How many cases of the property there are: 20,000, of which 3 in 20 have several workers. `MILLRACE_CASES=n` plays n
 * instead; `MILLRACE_SEED=n` plays the ones of that seed alone.
 */
const { env } = process;
const usual = 20_000;
const cases = Number(env["MILLRACE_CASES"] ?? usual);
const workers = Math.round(cases * 0.15);

export const drawn: {
  /** The only seed, if there is but one. */
  readonly only: number | undefined;
  readonly base: number;
  /** Cases with one worker after the other, and with several at once. */
  readonly alone: number;
  readonly workers: number;
} = {
  only: env["MILLRACE_SEED"] === undefined ? undefined : Number(env["MILLRACE_SEED"]),
  // Longer soaks see other cases each time.
  base: cases > usual ? Math.floor(Math.random() * 2 ** 40) : 1,
  alone: cases - workers,
  workers,
};
