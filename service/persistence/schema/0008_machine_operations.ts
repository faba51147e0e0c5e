/** Version 8: snapshots, backups, ISOs, and the list price that an order was made at. */
import type { Migration } from "./Dialect.ts"

export const machineOperations: Migration = ({ identity, integer, strict, text }) => `
CREATE TABLE isos (
  id ${integer} PRIMARY KEY,
  name ${text} NOT NULL,
  file_name ${text} NOT NULL UNIQUE,
  size_bytes ${integer} NOT NULL CHECK (size_bytes >= 0)
)${strict};

ALTER TABLE instances ADD COLUMN iso_id ${integer} REFERENCES isos(id);
-- When the next nightly backup is due; null for what has none.
ALTER TABLE instances ADD COLUMN next_backup_at ${integer};
CREATE INDEX instances_backup_due ON instances(next_backup_at) WHERE lifecycle = 'active';

-- The plan's price when the order was made or resized: proration counts from it, whatever the list says today.
ALTER TABLE orders ADD COLUMN price ${integer} NOT NULL DEFAULT 0 CHECK (price >= 0);
UPDATE orders SET price = (SELECT price FROM plans WHERE plans.id = orders.plan_id);

CREATE TABLE snapshots (
  id ${identity},
  instance_id ${integer} NOT NULL REFERENCES instances(id),
  name ${text} NOT NULL,
  os ${text} NOT NULL,
  status ${text} NOT NULL CHECK (status IN ('creating', 'available', 'restoring', 'failed')),
  size_bytes ${integer},
  created_at ${integer} NOT NULL
)${strict};
CREATE INDEX snapshots_of_instance ON snapshots(instance_id, id);

-- Discarded ones gave way to a customer's operation: nobody sees them, the next night removes them upstream.
CREATE TABLE backups (
  id ${identity},
  instance_id ${integer} NOT NULL REFERENCES instances(id),
  os ${text} NOT NULL,
  status ${text} NOT NULL CHECK (status IN ('creating', 'available', 'restoring', 'failed', 'discarded')),
  size_bytes ${integer},
  created_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL
)${strict};
CREATE INDEX backups_of_instance ON backups(instance_id, id);
`
