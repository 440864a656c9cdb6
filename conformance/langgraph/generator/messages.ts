/** The first line: what follows is a link, or a stack. */
export function messageOf(error: unknown): string {
  const { message } = error as { readonly message?: unknown };
  return String(message ?? error).split("\n")[0]!;
}
