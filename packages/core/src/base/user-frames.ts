/** Where in the user's own files an error was thrown. */

/** `at fn (file:line:column)` of V8, `fn@file:line:column` of others. */
const location = /(?:^|[\s(@])((?:file:\/\/|https?:\/\/|\/|[A-Za-z]:[\\/])[^()\s]*?:\d+:\d+)\)?$/;
const called = /^at (?:async )?(.+) \(|^(.+)@/;
/** The folder above this module's: Millrace's own sources are no user's. */
const own = new URL("../", import.meta.url).href.replace(/^file:\/\//, "");
const mostFrames = 5;
const mostCauses = 5;

interface Frame {
  /** `file:line:column` */
  readonly where: string;
  /** As the stack has it. */
  readonly line: string;
}

/** Innermost first, without those inside the host, Millrace and dependencies; empty when there are none. */
export function userFrames(error: unknown): string[] {
  const frames = framesOf(error);
  const first = frames.findIndex(isUsers);
  // What called the body is Millrace, and what called that is of no interest.
  const end = frames.findIndex((frame, i) => i > first && isOwn(frame));
  return first < 0
    ? []
    : frames
        .slice(first, end < 0 ? undefined : end)
        .filter(isUsers)
        .slice(0, mostFrames)
        .map(({ where }) => where);
}

/**
 * The first of them as `file:line:column` or `function (file:line:column)`, or that of its cause when it has none: what the
 * host throws later has no stack. Undefined for what Millrace itself threw: the user's frames below that are of whoever
 * called the engine, and another process that goes on with the run has others.
 */
export function userFrame(error: unknown, depth = 0): string | undefined {
  const frame = framesOf(error).find((one) => isOwn(one) || isUsers(one));
  if (frame === undefined) return depth < mostCauses ? userFrame(causeOf(error), depth + 1) : undefined;
  if (isOwn(frame)) return undefined;
  const [, v8, other] = called.exec(frame.line) ?? [];
  const name = v8 ?? other ?? "";
  return name === "" || name.includes("<anonymous>") ? frame.where : `${name} (${frame.where})`;
}

function causeOf(error: unknown): unknown {
  try {
    return error instanceof Error ? error.cause : undefined;
  } catch {
    return undefined;
  }
}

function framesOf(error: unknown): Frame[] {
  return stackOf(error)
    .split("\n")
    .flatMap((text) => {
      const line = text.trim();
      const where = location.exec(line)?.[1];
      return where === undefined ? [] : { where, line };
    });
}

/** Without the message in front, which may look like anything. */
function stackOf(error: unknown): string {
  try {
    if (!(error instanceof Error)) return "";
    const { stack, message } = error as { stack?: unknown; message: unknown };
    if (typeof stack !== "string") return "";
    const said = typeof message === "string" ? stack.indexOf(message) : -1;
    return said < 0 ? stack : stack.slice(said + (message as string).length);
  } catch {
    return "";
  }
}

function isUsers(frame: Frame): boolean {
  return !isOwn(frame) && !frame.where.includes("/node_modules/");
}

function isOwn({ where }: Frame): boolean {
  return where.replace(/^file:\/\//, "").startsWith(own);
}
