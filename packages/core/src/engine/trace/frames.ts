/** Where in the user's own files an error was thrown. */

/** `at fn (file:line:column)` of V8, `fn@file:line:column` of others. */
const location = /(?:^|[\s(@])((?:file:\/\/|https?:\/\/|\/|[A-Za-z]:[\\/])[^()\s]*?:\d+:\d+)\)?$/;
/** The folder that this module is in, two up: Millrace's own sources are no user's. */
const own = new URL("../../", import.meta.url).href.replace(/^file:\/\//, "");
const mostFrames = 5;

/** Innermost first, without those inside the host, Millrace and dependencies; empty when there are none. */
export function userFrames(error: unknown): string[] {
  let stack: unknown;
  try {
    stack = error instanceof Error ? error.stack : undefined;
  } catch {
    return [];
  }
  if (typeof stack !== "string") return [];
  const frames = stack.split("\n").flatMap((line) => location.exec(line.trim())?.[1] ?? []);
  const first = frames.findIndex(isUsers);
  // What called the body is Millrace, and what called that is of no interest.
  const end = frames.findIndex((frame, i) => i > first && isOwn(frame));
  return first < 0
    ? []
    : frames
        .slice(first, end < 0 ? undefined : end)
        .filter(isUsers)
        .slice(0, mostFrames);
}

function isUsers(frame: string): boolean {
  return !isOwn(frame) && !frame.includes("/node_modules/");
}

function isOwn(frame: string): boolean {
  return frame.replace(/^file:\/\//, "").startsWith(own);
}
