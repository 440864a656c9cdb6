import type { Connection } from "mysql2/promise";

/** `ER_NET_PACKET_TOO_LARGE` */
export const packetTooLarge = 1153;

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

/** Of connections that were set up: bytes of a statement with its values, at most. */
const limits = new WeakMap<object, number>();

/** A pool gives another object for a connection every time; below it is one. */
function below(client: Connection): object {
  return (client as unknown as { readonly connection: object }).connection;
}

export function takes(client: Connection, bytes: number): void {
  limits.set(below(client), bytes);
}

/** Names, types and lengths beside the values. */
const overhead = 16 << 10;

/**
 * A server that is sent too much ends the connection, and what it says may be lost on the way: that would be taken for a loss,
 * after which everything is sent again. So nothing is sent.
 */
function checkSize(client: Connection, values: Values): void {
  const limit = limits.get(below(client));
  if (limit === undefined) return;
  const bytes = values.reduce<number>((sum, value) => sum + sizeOf(value), overhead);
  if (bytes <= limit) return;
  throw Object.assign(new Error(`${bytes} bytes, and max_allowed_packet is ${limit}`), { errno: packetTooLarge });
}

function sizeOf(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  return value instanceof Uint8Array ? value.byteLength : 8;
}

/**
 * One statement, prepared once per connection, with its values beside it. When no answer comes within the time, milliseconds,
 * the connection is ended.
 */
export async function execute<Row>(
  client: Connection,
  text: string,
  values: Values,
  timeoutMs: number,
): Promise<Answer<Row>> {
  checkSize(client, values);
  const timer = setTimeout(() => destroy(client), timeoutMs);
  try {
    const [result] = (await client.execute(text, values as never)) as unknown as [unknown];
    return answerOf<Row>(result);
  } finally {
    clearTimeout(timer);
  }
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
  ref(): void;
  unref(): void;
  destroy(): void;
}

/** `mysql2` has it and does not declare it. */
function socketOf({ connection }: { readonly connection?: object }): Socket {
  return (connection as { readonly stream: Socket }).stream;
}

/**
 * Without a word to the server. Whoever waits for an answer is told that the connection is lost, which the client's own
 * `destroy` does not do.
 */
export function destroy(client: Connection): void {
  socketOf(client as object).destroy();
}

/** Whether the process has to wait for this connection. */
export function keepAlive(client: Connection, isBusy: boolean): void {
  const socket = socketOf(client as object);
  if (isBusy) socket.ref();
  else socket.unref();
}
