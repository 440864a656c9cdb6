/** A terminal that understands what the bars send: the lines as they would be seen. */
export class Screen {
  columns: number;
  rows = 24;
  cursorShown = true;
  /** How often something was written. */
  writes = 0;
  readonly #lines: string[] = [""];
  #row = 0;
  #column = 0;

  constructor(columns: number) {
    this.columns = columns;
  }

  write = (text: string | Uint8Array): boolean => {
    this.writes++;
    // oxlint-disable-next-line no-control-regex -- escape sequences are what is read
    for (const [token] of String(text).matchAll(/\u001B\[[?\d;]*[A-Za-z]|[\s\S]/g)) this.#take(token);
    return true;
  };

  /** Without the empty lines at the end. */
  get lines(): string[] {
    return this.#lines.join("\n").trimEnd().split("\n");
  }

  #take(token: string): void {
    if (token === "\n") this.#moveTo(this.#row + 1, 0);
    else if (token === "\r") this.#column = 0;
    else if (token.startsWith("\u001B")) this.#escape(token.slice(2));
    else this.#put(token);
  }

  #escape(code: string): void {
    const line = this.#lines[this.#row]!;
    if (code.endsWith("A")) this.#row = Math.max(0, this.#row - Number(code.slice(0, -1)));
    else if (code === "K") this.#lines[this.#row] = line.slice(0, this.#column);
    else if (code === "J") this.#lines.splice(this.#row, Infinity, line.slice(0, this.#column));
    else if (code === "?25l") this.cursorShown = false;
    else if (code === "?25h") this.cursorShown = true;
    else throw new Error(`the screen does not know ${JSON.stringify(code)}`);
  }

  #put(char: string): void {
    if (this.#column >= this.columns) this.#moveTo(this.#row + 1, 0);
    const line = this.#lines[this.#row]!.padEnd(this.#column);
    this.#lines[this.#row] = line.slice(0, this.#column) + char + line.slice(this.#column + 1);
    this.#column++;
  }

  #moveTo(row: number, column: number): void {
    this.#row = row;
    this.#column = column;
    while (this.#lines.length <= row) this.#lines.push("");
  }
}
