import { hash32 } from "./hash.ts";

export type Split = "train" | "test";

/** Share of the messages used for training, in percent. */
export const TRAIN_PERCENT = 70;

/** Fixed split: depends on the message id alone, so that it is the same in every run and after every crash. */
export function splitOf(id: string): Split {
  return hash32(`split:${id}`) % 100 < TRAIN_PERCENT ? "train" : "test";
}
