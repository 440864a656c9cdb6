/** Stable codes, shown in the report. */
export type UnreadableReason = "no-from" | "no-date" | "bad-date" | "no-body" | "bad-mime";

/** A message that cannot be triaged. It fails as an item, is listed in the report and does not stop the run. */
export class UnreadableMail extends Error {
  override readonly name = "UnreadableMail";
  readonly code: UnreadableReason;
  readonly data: { readonly id: string };

  constructor(id: string, reason: UnreadableReason, message: string) {
    super(message);
    this.code = reason;
    this.data = { id };
  }
}
