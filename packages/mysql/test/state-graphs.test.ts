import { conformanceTests, ofEveryKind } from "../../core/test/state-graph/conformance/suite.ts";
import { urlOf } from "../../core/test/servers/harness.ts";
import { harness } from "./support/harness.ts";

const place = harness.fresh();

conformanceTests("on MariaDB", () => harness.backend(urlOf(harness), place, {}), ofEveryKind);
