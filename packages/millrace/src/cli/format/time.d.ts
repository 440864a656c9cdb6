/** One time zone for everything the command line prints: UTC, ISO 8601 with Z (F34). */
export declare const timeZone = "UTC";
/** `2025-03-01T12:00:00.000Z`; the milliseconds since 1970 are what the journal stores. */
export declare function isoTime(ms: number): string;
/** `2025-03-01 12:00:00` for a column whose header states the zone. */
export declare function columnTime(ms: number): string;
/** `840ms`, `12.3s`, `4m 05s`, `2h 03m`, `3d 04h`. */
export declare function duration(ms: number): string;
/** A clock that does not change its width while it runs: `00:07`, `1:02:03`. */
export declare function stopwatch(ms: number): string;
