/**
 * Version 30: append-only tables cannot be emptied by TRUNCATE, which fires no trigger of rows. SQLite does not have
 * the statement, and its DELETE without a condition fires them.
 */
import type { Migration } from "./Dialect.ts"

export const appendOnly: Migration = ({ refuse }) => `
${refuse("audit_keep_truncate", "TRUNCATE ON audit", "the audit log is append-only")}
${refuse("journals_keep_truncate", "TRUNCATE ON journals", "journals are append-only")}
${refuse("entries_keep_truncate", "TRUNCATE ON entries", "entries are append-only")}
`
