import type { Connection } from "mysql2/promise";

export type Values = readonly unknown[];

export interface Answer<Row> {
  readonly rows: Row[];
  /** Of rows that a statement found or made. */
  readonly count: number;
  /** The number that the last row got. */
  readonly made: number;
}

interface Header {
  readonly affectedRows: number;
  readonly insertId: number;
}

/** One statement, prepared once per connection, with its values beside it. */
export async function execute<Row>(
  client: Connection,
  text: string,
  values: Values,
  timeout: number,
): Promise<Answer<Row>> {
  const [result] = (await client.execute({ sql: text, timeout }, values as never)) as unknown as [unknown];
  return answerOf<Row>(result);
}

/** A call answers with its rows, if it has some, and a header after them. */
function answerOf<Row>(result: unknown): Answer<Row> {
  if (!Array.isArray(result)) return headerOf(result as Header);
  const last: unknown = result.at(-1);
  if (!isHeader(last)) return { rows: result as Row[], count: result.length, made: 0 };
  const rows = (result.find((part) => Array.isArray(part)) ?? []) as Row[];
  return { ...headerOf<Row>(last), rows };
}

function headerOf<Row>({ affectedRows, insertId }: Header): Answer<Row> {
  return { rows: [], count: affectedRows, made: insertId };
}

function isHeader(part: unknown): part is Header {
  return (
    (part as { readonly constructor?: { readonly name?: string } } | undefined)?.constructor?.name === "ResultSetHeader"
  );
}

interface Socket {
  ref?(): void;
  unref?(): void;
}

/** Whether the process has to wait for this connection. `mysql2` has it and does not declare it. */
export function keepAlive(client: Connection, isBusy: boolean): void {
  const { connection } = client as unknown as { readonly connection: { readonly stream?: Socket } };
  const { stream } = connection;
  if (isBusy) stream?.ref?.();
  else stream?.unref?.();
}
