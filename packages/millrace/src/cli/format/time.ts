/** One time zone for everything the command line prints: UTC, ISO 8601 with Z (F34). */
export const timeZone = "UTC";

/** `2025-03-01T12:00:00.000Z`; the milliseconds since 1970 are what the journal stores. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** `2025-03-01 12:00:00` for a column whose header states the zone. */
export function columnTime(ms: number): string {
  return isoTime(ms).slice(0, 19).replace("T", " ");
}

/** `840ms`, `12.3s`, `4m 05s`, `2h 03m`, `3d 04h`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))}ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${two(seconds % 60)}s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours}h ${two(minutes % 60)}m`;
  return `${Math.floor(hours / 24)}d ${two(hours % 24)}h`;
}

/** A clock that does not change its width while it runs: `00:07`, `1:02:03`. */
export function stopwatch(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${two(minutes)}:${two(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
