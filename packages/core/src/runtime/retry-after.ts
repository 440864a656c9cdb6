/**
 * What a server said about when to come back (RFC 9110 §10.2.3): whole seconds, or an HTTP date. Read from where HTTP
 * clients keep response headers on their errors: `headers`, `responseHeaders` or `response.headers`, as `Headers` or a
 * record. Null, as if it were not there: anything else, `0.1` too, and waits of a thousand million seconds or more.
 */
export function retryAfterMs(error: unknown, now: number): number | null {
  if (typeof error !== "object" || error === null) return null;
  const { headers, responseHeaders, response } = error as Record<string, unknown>;
  const inResponse =
    typeof response === "object" && response !== null ? (response as { headers?: unknown }).headers : undefined;
  for (const place of [headers, responseHeaders, inResponse]) {
    const text = headerOf(place);
    if (text !== undefined) return parse(text, now);
  }
  return null;
}

function headerOf(headers: unknown): string | undefined {
  if (typeof headers !== "object" || headers === null) return undefined;
  if (headers instanceof Headers) return headers.get("retry-after") ?? undefined;
  const key = Object.keys(headers).find((name) => name.toLowerCase() === "retry-after");
  const value = key === undefined ? undefined : (headers as Record<string, unknown>)[key];
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

/** Longer than that nobody waits: it is a time stamp that was sent as a number of seconds, or nonsense. */
const mostSeconds = 999_999_999;
/** Without a time zone, which is UTC. */
const asctime = /^[A-Za-z]{3} [A-Za-z]{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

/** `Date.parse` takes `0.1` and `-5` for dates, so a date has to look like one. */
function parse(written: string, now: number): number | null {
  const text = written.trim();
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : dateOf(text) - now;
  return Number.isNaN(wait) || wait > mostSeconds * 1000 ? null : Math.max(0, wait);
}

function dateOf(text: string): number {
  if (asctime.test(text)) return Date.parse(`${text} GMT`);
  return /^([A-Za-z]{3,9},? |\d{4}-\d\d-\d\dT)/.test(text) ? Date.parse(text) : Number.NaN;
}
