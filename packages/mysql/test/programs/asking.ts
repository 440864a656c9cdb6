/** An engine in a process of its own. */
import { mysql } from "@millrace/mysql";

import { playAsking } from "../../../core/test/servers/asking-program.ts";

await playAsking(({ url, place }) => mysql(url, { prefix: place, lease: "2s" }));
