import type { ErrorData } from "../base/describe-error.ts";
import { withoutKnown } from "./known-values.ts";
import { redactedMark } from "./secret.ts";
import type { Redactor } from "./redactor.ts";

/** What is kept of an error, without secrets. */
export function redactError(error: ErrorData, redactor: Redactor): ErrorData {
  const { message, data, causes, at } = error;
  return {
    ...error,
    message: redactor.text(message),
    data: redactor.value(data),
    ...(causes !== undefined && { causes: causes.map((cause) => redactor.text(cause)) }),
    ...(at !== undefined && { at: redactor.text(at) }),
  };
}

/** The same inside of a step, which knows no engine: the text of a failure only, and known values only. */
export function withoutKnownSecrets(error: ErrorData): ErrorData {
  const { message, causes } = error;
  const clean = (text: string): string => withoutKnown(text, redactedMark);
  return { ...error, message: clean(message), ...(causes !== undefined && { causes: causes.map(clean) }) };
}
