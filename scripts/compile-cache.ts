import { join } from "node:path";
import { root } from "./packages.ts";

/**
 * Where Node keeps what it compiled of the sources (`NODE_COMPILE_CACHE`). A program that starts from sources is at work in half the time
 * then, and tests and snippets start hundreds.
 */
export const compileCache: string = join(root, ".build/compile-cache");
