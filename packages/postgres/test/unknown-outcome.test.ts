import { unknownOutcomeTests } from "../../core/test/servers/unknown-outcome.ts";
import { harness } from "./support/harness.ts";

unknownOutcomeTests(harness);
