/** What definitions and vectors are made of. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Values by field. Of a field that is absent nothing is said. */
export type Patch = Readonly<Record<string, Json>>;

export function isRecord(value: unknown): value is Readonly<Record<string, Json>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
