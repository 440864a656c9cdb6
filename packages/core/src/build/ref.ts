/**
 * Refs at run time. A ref is a proxy whose handler holds a `RefInfo`; reading a field makes another. Everything that
 * treats a ref as if it were its value throws while a body runs. Outside of a body the same traps answer quietly, so
 * that loggers, `util.inspect` and test runners can print a ref that got out.
 */
import { buildError } from "../base/error.ts";
import { running } from "./builder.ts";
import { fieldOf } from "./field.ts";
import type { RefInfo } from "./ref-info.ts";

/** Known to this module only; reading it is how a ref is told from a function. (A WeakMap tripled the cost of a build.) */
const INFO: unique symbol = Symbol("ref");

export function infoOf(value: unknown): RefInfo | undefined {
  return typeof value === "function" ? (value as { readonly [INFO]?: RefInfo })[INFO] : undefined;
}

export function makeRef(info: RefInfo): unknown {
  return new Proxy(TARGET, new RefHandler(info));
}

/** All refs share one target. It is a function so that calling a ref reaches the handler. */
const TARGET: object = () => undefined;
Object.defineProperty(TARGET, Symbol.for("nodejs.util.inspect.custom"), {
  configurable: true, // else `ownKeys` would have to name it
  value(this: unknown) {
    const info = infoOf(this);
    return info === undefined ? "[ref]" : describeRef(info);
  },
});

/** `[ref listDocs.path of nightly]`. */
function describeRef(info: Pick<RefInfo, "label" | "frame">): string {
  return `[ref ${info.label} of ${info.frame.graph}]`;
}

class RefHandler implements ProxyHandler<object> {
  readonly info: RefInfo;
  constructor(info: RefInfo) {
    this.info = info;
  }
  get(_target: object, key: string | symbol): unknown {
    return typeof key === "string" ? fieldRef(this.info, key) : symbolOf(this.info, key);
  }
  apply(): unknown {
    return called(this.info);
  }
  has(_target: object, key: string | symbol): boolean {
    if (running() === null) return false;
    throw misuse(
      this.info,
      `"${String(key)}" in …`,
      `compute it from the value: derive(${this.info.label}, value => ${JSON.stringify(String(key))} in value)`,
    );
  }
  ownKeys(): string[] {
    const keys = knownKeys(this.info);
    if (keys !== null) return [...keys];
    if (running() === null) return [];
    throw misuse(
      this.info,
      "spread or listed by its keys",
      `its keys are not known yet; name the fields, or use derive(${this.info.label}, value => ({ ...value }))`,
    );
  }
  getOwnPropertyDescriptor(_target: object, key: string | symbol): PropertyDescriptor | undefined {
    if (typeof key !== "string" || knownKeys(this.info)?.includes(key) !== true) return undefined;
    return { value: fieldRef(this.info, key), enumerable: true, configurable: true, writable: false };
  }
  set(_target: object, key: string | symbol): boolean {
    throw misuse(
      this.info,
      `assigned to (.${String(key)} = …)`,
      "values are made by ops and derive, never by assignment",
    );
  }
  defineProperty(target: object, key: string | symbol): boolean {
    return this.set(target, key);
  }
  deleteProperty(target: object, key: string | symbol): boolean {
    return this.set(target, key);
  }
  setPrototypeOf(target: object): boolean {
    return this.set(target, "__proto__");
  }
  preventExtensions(): boolean {
    return false;
  }
}

/** Of the result of a graph call. (Of others not even the template is looked at: that may make a slot.) */
function knownKeys(info: RefInfo): readonly string[] | null {
  if (info.kind === "value") return null;
  return info.template.type === "object" ? info.template.keys : null;
}

function fieldRef(info: RefInfo, key: string): unknown {
  const check = running() !== null && key !== "then" && key !== "toJSON";
  if (info.field !== undefined) return makeRef(info.field(key, check));
  const template = fieldOf(info, key, check);
  return makeRef({
    frame: info.frame,
    template,
    label: `${info.label}.${key}`,
    named: info.named,
    key: `${info.key}\0${key}`,
    kind: "value",
  });
}

function symbolOf(info: RefInfo, key: symbol): unknown {
  if (key === INFO) return info;
  if (key === Symbol.toPrimitive) return (hint: string) => primitive(info, hint);
  if (key === Symbol.iterator || key === Symbol.asyncIterator) return () => iterated(info);
  return undefined;
}

function primitive(info: RefInfo, hint: string): string {
  if (running() === null) return describeRef(info);
  if (hint === "string")
    throw misuse(info, "put into a string", `write text\`…\${${info.label}}…\` with the text tag, or use derive`);
  throw misuse(
    info,
    hint === "number" ? "used in arithmetic or a comparison" : "used with an operator",
    `compute it from the value: derive(${info.label}, value => …)`,
  );
}

function iterated(info: RefInfo): never {
  throw misuse(
    info,
    "iterated",
    `make a stream of its items with each(${info.label}), or compute from the whole list with derive(${info.label}, list => …)`,
  );
}

function called(info: RefInfo): unknown {
  const at = info.label.lastIndexOf(".");
  const [owner, method] = [info.label.slice(0, Math.max(at, 0)), info.label.slice(at + 1)];
  if (method === "then")
    throw misuse(
      { label: owner, frame: info.frame },
      "awaited",
      "pass it on instead; a node runs when its inputs have values",
    );
  if (method === "toJSON") return stringified({ label: owner, frame: info.frame });
  if (method === "hasAttribute" && running() === null) return false; // Test runners probe values for DOM nodes.
  const fix =
    at < 0 ? "a ref is not a function" : `call it on the value: derive(${owner}, value => value.${method}(…))`;
  throw misuse(info, "called", fix);
}

function stringified(info: Pick<RefInfo, "label" | "frame">): string {
  if (running() === null) return describeRef(info);
  throw misuse(info, "turned into JSON", `do it on the value: derive(${info.label}, value => JSON.stringify(value))`);
}

function misuse(info: Pick<RefInfo, "label" | "frame">, how: string, fix: string): Error {
  return buildError(
    `${info.label} in graph ${info.frame.graph} is a ref, not its value, and was ${how}`,
    fix,
    "RefAsValue",
  );
}
