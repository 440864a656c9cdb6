import { countOrphans } from "../sql/orphans.ts";
import type { Connection } from "./connection.ts";

/** What is wrong with the file, one line each. */
export function integrityOf(reader: Connection): string[] {
  const said = reader.all("PRAGMA integrity_check(100)").map((row) => String(row["integrity_check"]));
  const found = said.length === 1 && said[0] === "ok" ? [] : said;
  for (const [what, sql] of countOrphans) {
    const count = Number(reader.get(sql)?.["found"]);
    if (count > 0) found.push(`${count} ${what}`);
  }
  return found;
}
