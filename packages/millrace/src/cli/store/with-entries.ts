import type { Store } from "@millrace/core";
import { type Store as Database, withStore, withStoreToBe } from "../database.ts";

/** The store of a database that is there; `create`: a file is made when it is missing. */
export async function withEntries<T>(
  db: string,
  cwd: string,
  use: (store: Store) => Promise<T>,
  create = false,
): Promise<T> {
  const { storeOver, MillraceError } = await import("@millrace/core");
  const open = create ? withStoreToBe : withStore;
  return open(db, cwd, ({ backend }: Database) => {
    if (backend.store === undefined) throw new MillraceError("StoreMissing", `${backend.name} has no store`);
    return use(storeOver(backend.store));
  });
}
