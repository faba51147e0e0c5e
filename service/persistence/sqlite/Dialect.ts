import type { Dialect } from "../Sql.ts"
import { tables } from "./Tables.ts"

export const sqlite: Dialect = {
  schema: {
    identity: "INTEGER PRIMARY KEY AUTOINCREMENT",
    integer: "INTEGER",
    text: "TEXT",
    strict: " STRICT",
    clustered: " STRICT, WITHOUT ROWID",
    epochSeconds: "unixepoch()",
    refuse: (name, change, message) =>
      `CREATE TRIGGER ${name} BEFORE ${change} BEGIN
  SELECT RAISE(ABORT, '${message}');
END;`
  },
  isShared: false,
  isTrueIn: (column, member) => `coalesce(json_extract(${column}, '$.${member}'), 0) = 1`,
  tables
}
