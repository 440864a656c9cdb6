const units = ["kB", "MB", "GB", "TB"] as const;

/** `840 B`, `1.2 kB`, `34 MB`: powers of 1,000. */
export function bytes(value: number): string {
  let rest = value;
  let unit = "B";
  for (const next of units) {
    if (rest < 999.5) break;
    rest /= 1_000;
    unit = next;
  }
  return `${unit === "B" || rest >= 9.95 ? Math.round(rest) : rest.toFixed(1)} ${unit}`;
}
