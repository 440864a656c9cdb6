/** Plays two cases, of which the second never ends. */
import { Watchdog } from "../support/watchdog.ts";

const watchdog = new Watchdog("cases that spin", "test/property/spins.test.ts", 100);
watchdog.begin(16);
await Promise.resolve();
watchdog.begin(17);
// The thread is not blocked by what it watches.
for (;;);
