#!/usr/bin/env node
/** The program: makes sure that this Node can run it, then starts it. Nothing else is imported before that is known. */
import { enableCompileCache } from "node:module";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(`error: millrace needs Node 22.18 or newer, and this is ${process.versions.node}\n`);
  process.exit(1);
}
// What was parsed once is not parsed again by the next command: half of the time it takes to start.
enableCompileCache();
await import("./start.ts");
