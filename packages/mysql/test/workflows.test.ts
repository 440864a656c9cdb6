import { urlOf } from "../../core/test/servers/harness.ts";
import { workflowTests } from "../../core/test/workflow/on-backend.ts";
import { harness } from "./support/harness.ts";

const place = harness.fresh();

workflowTests("on MariaDB", () => harness.backend(urlOf(harness), place, {}));
