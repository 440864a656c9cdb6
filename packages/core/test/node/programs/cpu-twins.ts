/** Two ops of one name: a worker could not tell which is meant. */
import { op } from "../../../src/index.ts";

export const one = op("twin", { bound: "cpu" }, () => ({ which: 1 }));
export const two = op("twin", { bound: "cpu" }, () => ({ which: 2 }));
