/** Who is served, and the folder in which all owners have their locks. */
export interface Owners {
  readonly self: string;
  readonly folder: string;
}
