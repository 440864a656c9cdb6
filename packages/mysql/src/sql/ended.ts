import { endedStatuses } from "@millrace/core";

/** As a list in SQL. */
export const ended: string = `(${[...endedStatuses].map((status) => `'${status}'`).join(", ")})`;
