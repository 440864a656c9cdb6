const grouped = new Intl.NumberFormat("en-US");

/** `6,046` */
export function count(value: number): string {
  return grouped.format(value);
}

/** `1 item`, `2 items`; the plural is the singular with an `s` unless given. */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** Invocations per second, in the unit that reads best: `1,203/s`, `3.2/s`, `12/min`; empty when nothing moves. */
export function rate(perSecond: number): string {
  if (!Number.isFinite(perSecond) || perSecond <= 0) return "";
  if (perSecond >= 9.95) return `${count(Math.round(perSecond))}/s`;
  if (perSecond >= 0.95) return `${perSecond.toFixed(1)}/s`;
  const perMinute = perSecond * 60;
  return perMinute >= 0.95 ? `${Math.round(perMinute)}/min` : "";
}
