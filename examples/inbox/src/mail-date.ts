/** A numeric offset, or one of the zone names of RFC 5322 §4.3. */
const ZONE = /[+-]\d{4}\b|\b(?:GMT|UTC?|Z|[ECMP][SD]T)\b/i;

/** No date is longer. */
const MAX_CHARACTERS = 200;

/** `Aug 102`, `Aug 0102`: years since 1900, written by mailers that were not ready for the year 2000. */
const YEARS_SINCE_1900 = /\b([A-Z][a-z]{2}) 0?(1\d\d)\b/;

/**
 * Epoch milliseconds of a `Date` header (RFC 5322 §3.3, with the obsolete forms of §4.3), or `undefined` when it is
 * not a date. A date without a zone is taken as UTC: the reader's own zone must not change the result.
 */
export function parseMailDate(header: string): number | undefined {
  const text = header
    .slice(0, MAX_CHARACTERS)
    .replace(/\([^()]*\)/g, " ")
    .replace(YEARS_SINCE_1900, (_, month, years) => `${month} ${1900 + Number(years)}`)
    .trim();
  const time = Date.parse(ZONE.test(text) ? text : `${text} UTC`);
  return Number.isNaN(time) ? undefined : time;
}
