/**
 * What a server said about when to come back (RFC 9110 §10.2.3): seconds, or an HTTP date. Read from where HTTP clients
 * keep response headers on their errors: `headers`, `responseHeaders` or `response.headers`, as `Headers` or a record.
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

function parse(text: string, now: number): number | null {
  const seconds = /^\d{1,9}$/.test(text.trim()) ? Number(text) : Number.NaN;
  const at = Number.isNaN(seconds) ? Date.parse(text) - now : seconds * 1000;
  return Number.isNaN(at) ? null : Math.max(0, at);
}
