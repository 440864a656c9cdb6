/**
 * Smoke test of the packages on the oldest supported Node: `npx -y -p node@22.18.0 node scripts/smoke-node22.ts`.
 * Every check is one line here and one `ok` line in the output.
 */
import assert from "node:assert/strict";

const checks: Readonly<Record<string, () => Promise<void>>> = {
  "the default entry can be imported": async () => {
    assert.ok(Object.keys(await import("@millrace/core")).length > 0);
  },
  "the Node entry can be imported": async () => {
    assert.ok(Object.keys(await import("@millrace/core/node")).length > 0);
  },
};

console.log(`Node ${process.versions.node}`);
for (const [name, check] of Object.entries(checks)) {
  await check();
  console.log(`ok ${name}`);
}
