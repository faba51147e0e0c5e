/** The few places where one text cannot serve both databases. */
import type { Dialect } from "./Sql.ts"

/** Whether a column of JSON text holds an object with a member that is `true`; a condition. */
export const isTrueIn = (dialect: Dialect, column: string, member: string): string =>
  dialect === "sqlite"
    ? `coalesce(json_extract(${column}, '$.${member}'), 0) = 1`
    : `coalesce(CAST(${column} AS json) ->> '${member}', 'false') = 'true'`
