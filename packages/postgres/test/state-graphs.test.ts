import { conformanceTests, ofEveryKind } from "../../core/test/state-graph/conformance/suite.ts";
import { urlOf } from "../../core/test/servers/harness.ts";
import { harness } from "./support/harness.ts";

const place = harness.fresh();

conformanceTests("S01 S10", () => harness.backend(urlOf(harness), place, {}), ofEveryKind);
