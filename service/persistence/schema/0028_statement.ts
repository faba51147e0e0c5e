/** Version 28: each booking has its instance and its calculation, a refund has what it refunds; accounts are closed. */
import type { Migration } from "./Dialect.ts"

export const statement: Migration = ({ integer, text }) => `
ALTER TABLE journals ADD COLUMN instance_id ${integer};
ALTER TABLE journals ADD COLUMN reverses ${integer};
-- JSON text of an object.
ALTER TABLE journals ADD COLUMN explanation ${text};
CREATE INDEX journals_of_account ON journals(account_id, id);
CREATE INDEX journals_reversing ON journals(reverses) WHERE reverses IS NOT NULL;
ALTER TABLE accounts ADD COLUMN closed_at ${integer};
`
