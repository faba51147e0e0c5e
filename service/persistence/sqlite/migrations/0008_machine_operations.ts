/** Version 8: snapshots, backups, ISOs, and the list price that an order was made at. */
export const machineOperations = `
CREATE TABLE isos (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  file_name TEXT NOT NULL UNIQUE,
  size_bytes INTEGER NOT NULL CHECK (size_bytes >= 0)
) STRICT;

ALTER TABLE instances ADD COLUMN iso_id INTEGER REFERENCES isos(id);
-- When the next nightly backup is due; null for what has none.
ALTER TABLE instances ADD COLUMN next_backup_at INTEGER;
CREATE INDEX instances_backup_due ON instances(next_backup_at) WHERE lifecycle = 'active';

-- The plan's price when the order was made or resized: proration counts from it, whatever the list says today.
ALTER TABLE orders ADD COLUMN price INTEGER NOT NULL DEFAULT 0 CHECK (price >= 0);
UPDATE orders SET price = (SELECT price FROM plans WHERE plans.id = orders.plan_id);

CREATE TABLE snapshots (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  instance_id INTEGER NOT NULL REFERENCES instances(id),
  name TEXT NOT NULL,
  os TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('creating', 'available', 'restoring', 'failed')),
  size_bytes INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX snapshots_of_instance ON snapshots(instance_id, id);

-- Discarded ones gave way to a customer's operation: nobody sees them, the next night removes them upstream.
CREATE TABLE backups (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  instance_id INTEGER NOT NULL REFERENCES instances(id),
  os TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('creating', 'available', 'restoring', 'failed', 'discarded')),
  size_bytes INTEGER,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX backups_of_instance ON backups(instance_id, id);
`
