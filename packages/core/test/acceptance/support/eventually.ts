/** Tries again until it does not throw, at most for so many milliseconds; then throws what it threw last. */
export async function eventually(check: () => unknown, ms = 8_000): Promise<void> {
  const until = performance.now() + ms;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (performance.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}
