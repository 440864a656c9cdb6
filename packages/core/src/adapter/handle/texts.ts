import { errorOf } from "../../base/error.ts";

/**
 * Stores keep UTF-8, in which all lone surrogates are one character, some of them without NUL, and Node 22 reads a text of SQLite
 * only up to it: any other text would be refused, or become another one on the way.
 */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

/** @throws MillraceError `InvalidRunId` */
export function checkId(id: string): void {
  if (!isStorable(id)) throw errorOf("InvalidRunId.nul", { id: JSON.stringify(id) });
}

/** @throws MillraceError `DatabaseFailed` */
export function checkTexts(backend: string, texts: Readonly<Record<string, string | null | undefined>>): void {
  for (const [what, text] of Object.entries(texts)) {
    if (text === null || text === undefined || isStorable(text)) continue;
    throw errorOf("DatabaseFailed.text", { backend, what, shown: JSON.stringify(text) });
  }
}

/** @throws MillraceError `DatabaseFailed` */
export function checkLabels(backend: string, labels: Readonly<Record<string, string>>): void {
  for (const [key, value] of Object.entries(labels)) checkTexts(backend, { "a label's key": key, [key]: value });
}
