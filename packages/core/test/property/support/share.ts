/**
 * How many cases of the property there are: 20,000 with several workers, and some with one after the other, for what only
 * those look at: what is told while a run lives, what happens among ephemeral items, drains and cancels at a record.
 * `MILLRACE_CASES=n` plays n of each instead; `MILLRACE_SEED=n` plays the ones of that seed alone.
 */
const { env } = process;
const usual = { workers: 20_000, alone: 2_000 };
const asked = env["MILLRACE_CASES"] === undefined ? undefined : Number(env["MILLRACE_CASES"]);

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
  base: asked !== undefined && asked > usual.workers ? Math.floor(Math.random() * 2 ** 40) : 1,
  alone: asked ?? usual.alone,
  workers: asked ?? usual.workers,
};
/** All that is rare is in so many, and need not be in fewer. */
export const isUsual: boolean = drawn.only === undefined && asked === undefined;
