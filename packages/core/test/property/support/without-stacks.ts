/** Ops of the cases fail by the thousand, and nobody reads where: stacks would take a good part of the time. */
export async function withoutStacks<T>(play: () => Promise<T>): Promise<T> {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return await play();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
