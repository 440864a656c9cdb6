import type { Tables } from "./tables.ts";

/**
 * A transaction that the server goes through by itself, in answer to one statement. A process that stops at any moment has
 * either not asked for it or has it done: it never holds a lock that it could have let go (H3).
 */
export interface Procedure {
  /** A change of its body is another version: processes of both versions work side by side (H29). */
  readonly name: (tables: Tables) => string;
  readonly create: (tables: Tables) => string;
  readonly call: (tables: Tables) => string;
}

export interface ProcedureText {
  readonly name: string;
  readonly version: number;
  /** Names and types. */
  readonly parameters: readonly string[];
  readonly variables?: readonly string[];
  /** What else becomes of errors than to undo everything and tell. */
  readonly handlers?: readonly string[];
  /** After `START TRANSACTION`; it commits. */
  readonly body: (tables: Tables) => string;
}

export function procedure({
  name,
  version,
  parameters,
  variables = [],
  handlers = [],
  body,
}: ProcedureText): Procedure {
  const full = ({ prefix }: Tables): string => `${prefix}${name}_${version}`;
  return {
    name: full,
    create: (tables) => `
CREATE PROCEDURE \`${full(tables)}\` (${parameters.map((parameter) => `IN ${parameter}`).join(", ")})
MODIFIES SQL DATA SQL SECURITY INVOKER
BEGIN
  ${variables.map((variable) => `DECLARE ${variable};`).join("\n  ")}
  ${handlers.map((handler) => `DECLARE ${handler};`).join("\n  ")}
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
  START TRANSACTION;
  ${body(tables)}
END`,
    call: (tables) => `CALL \`${full(tables)}\`(${parameters.map(() => "?").join(", ")})`,
  };
}

/** A type for texts that are compared with columns. */
export const comparedText = "LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin";
