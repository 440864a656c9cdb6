/** An engine in a process of its own. */
import { postgres } from "@millrace/postgres";

import { playAsking } from "../../../core/test/servers/asking-program.ts";

await playAsking(({ url, place }) => postgres(url, { schema: place, lease: "2s" }));
