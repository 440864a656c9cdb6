import { beforeEach, inject } from "vitest";

beforeEach((context) => {
  const missing = inject("mysqlMissing");
  context.skip(missing !== "", missing);
});
