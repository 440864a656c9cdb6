import { beforeEach, inject } from "vitest";

/** The tests that follow are skipped where there is no server, and say why. */
export function skipWithoutServer(): void {
  beforeEach((context) => {
    const missing = inject("mysqlMissing");
    context.skip(missing !== "", missing);
  });
}
