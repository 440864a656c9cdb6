/** Takes secrets out of what leaves a run for people: log lines, traces, errors. */
import { longestKnown, withoutKnown } from "./known-values.ts";
import { redactValue } from "./redact-value.ts";
import { redactedMark } from "./secret.ts";
import { isSecretKey } from "./secret-keys.ts";
import { withoutMarked } from "./secret-texts.ts";

export interface RedactOptions {
  /**
   * Further keys whose values are hidden: a text is the whole key, compared without case, `-` and `_`; a pattern is looked
   * for in the key.
   */
  readonly keys?: readonly (string | RegExp)[];
  /** False: only `keys`, and none of those that are known to name secrets (`password`, `apiKey`, `token`, …). */
  readonly defaults?: boolean;
}

const mostRemembered = 10_000;

export class Redactor {
  readonly #whole: ReadonlySet<string>;
  readonly #patterns: readonly RegExp[];
  readonly #defaults: boolean;
  readonly #verdicts: Map<string, boolean> = new Map();

  constructor({ keys = [], defaults = true }: RedactOptions = {}) {
    this.#whole = new Set(keys.filter((key) => typeof key === "string").map(folded));
    // A pattern with a place of its own would answer differently every time.
    this.#patterns = keys
      .filter((key) => key instanceof RegExp)
      .map(({ source, flags }) => new RegExp(source, flags.replaceAll(/[gy]/g, "")));
    this.#defaults = defaults;
  }

  /** Whether what stands under this key is hidden whatever it is. */
  readonly hides = (key: string): boolean => {
    let verdict = this.#verdicts.get(key);
    if (verdict === undefined) {
      if (this.#verdicts.size >= mostRemembered) this.#verdicts.clear();
      verdict = this.#judge(key);
      this.#verdicts.set(key, verdict);
    }
    return verdict;
  };

  #judge(key: string): boolean {
    if (this.#defaults && isSecretKey(key)) return true;
    return this.#whole.has(folded(key)) || this.#patterns.some((pattern) => pattern.test(key));
  }

  /** Known values first: what a place of a text hides may be only a part of one. */
  text(text: string): string {
    return withoutMarked(withoutKnown(text, redactedMark), this.hides, redactedMark);
  }

  /** The value itself when nothing in it is hidden, else a copy of the parts around. Total. */
  value(value: unknown): unknown {
    return redactValue(value, this);
  }

  /** At most `limit` characters of the text, for which no more of it is looked at than it takes. */
  head(text: string, limit: number): string {
    if (text.length <= limit) return this.text(text);
    const reach = longestKnown();
    const head = this.text(text.slice(0, limit + reach));
    // At its end may stand the beginning of a secret.
    return head.slice(0, Math.max(0, Math.min(limit, head.length - reach)));
  }
}

function folded(key: string): string {
  return key.toLowerCase().replaceAll(/[-_]/g, "");
}

/**
 * The value as logs and traces show it: what stands under keys that name secrets, secrets themselves, and their values where
 * they are known in this process, is `[redacted]`. The value itself when nothing in it is hidden; else a copy of the parts
 * around. For showing, not for storing: what is nested more than 32 deep is cut.
 */
export function redacted(value: unknown, options?: RedactOptions): unknown {
  return (options === undefined ? usual : new Redactor(options)).value(value);
}

const usual = new Redactor();
