import { isSecretName, secretRef, secretRefPrototype, type SecretRef } from "../../../secrets/secret-ref.ts";
import type { ValueType } from "../contract.ts";
import { corrupt } from "../corrupt.ts";

/** The name only: what it stands for never gets here. */
export const secretRefType: ValueType = {
  tag: "SecretRef",
  prototype: secretRefPrototype,
  write: (value) => (value as SecretRef).name,
  read(form) {
    if (!isSecretName(form)) throw corrupt("malformed SecretRef");
    return secretRef(form);
  },
};
