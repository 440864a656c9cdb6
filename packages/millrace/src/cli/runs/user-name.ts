import { userInfo } from "node:os";

/** Who is at the keyboard, as the operating system has it; undefined where it knows nobody. */
export function userName(): string | undefined {
  try {
    return userInfo().username || undefined;
  } catch {
    return undefined;
  }
}
