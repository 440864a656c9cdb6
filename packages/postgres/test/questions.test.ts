import { questionTests } from "../../core/test/servers/questions.ts";
import { harness } from "./support/harness.ts";

questionTests(harness, new URL("programs/asking.ts", import.meta.url));
