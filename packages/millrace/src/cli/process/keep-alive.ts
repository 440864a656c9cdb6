/**
 * Holds the process until released (H82): a run whose last promise never settles has nothing left that keeps Node
 * alive, and the process would end with exit code 0 in the middle of it.
 */
export function keepAlive(): () => void {
  const handle = setInterval(() => {}, 2 ** 30);
  return () => clearInterval(handle);
}
