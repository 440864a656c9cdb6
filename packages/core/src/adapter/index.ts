/** `@millrace/core/adapter`: what a package that implements a port needs besides its types: the product's own errors. */
export { parseDuration } from "../base/duration.ts";
export { errorOf, invariantBroken, type MessageName, type ValuesOf } from "../base/error.ts";
