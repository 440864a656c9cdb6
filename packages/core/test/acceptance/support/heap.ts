import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Bytes of the heap that are in use after everything unreachable is gone. */
export function fullHeap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
