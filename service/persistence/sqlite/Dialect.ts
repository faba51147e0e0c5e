import type { Dialect } from "../Sql.ts"
import { tables } from "./Tables.ts"

const counting = (table: string, column: string, counted: string, reference: string) =>
  ([["INSERT", "NEW", "+"], ["DELETE", "OLD", "-"]] as const).map(([change, row, sign]) =>
    `CREATE TRIGGER ${table}_${column}_${change.toLowerCase()} AFTER ${change} ON ${counted} BEGIN
  UPDATE ${table} SET ${column} = ${column} ${sign} 1 WHERE id = ${row}.${reference};
END;`
  ).join("\n")

export const sqlite: Dialect = {
  schema: {
    identity: "INTEGER PRIMARY KEY AUTOINCREMENT",
    integer: "INTEGER",
    text: "TEXT",
    strict: " STRICT",
    clustered: " STRICT, WITHOUT ROWID",
    unlogged: "",
    epochSeconds: "unixepoch()",
    refuse: (name, change, message) =>
      change.startsWith("TRUNCATE")
        ? ""
        : `CREATE TRIGGER ${name} BEFORE ${change} BEGIN
  SELECT RAISE(ABORT, '${message}');
END;`,
    counter: counting,
    dropTrigger: (name) => `DROP TRIGGER ${name};`,
    // A file that replaces another one is `admin restore`, which continues after the ids of the replaced one.
    freshIds: () => ""
  },
  isShared: false,
  // The only process that writes is this one, by one connection.
  version: "SELECT CAST(total_changes() AS TEXT)",
  tables
}
