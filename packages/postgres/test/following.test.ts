import { followingTests } from "../../core/test/servers/following.ts";
import { harness } from "./support/harness.ts";

followingTests(harness);
