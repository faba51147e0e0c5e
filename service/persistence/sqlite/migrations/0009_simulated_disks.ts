/** Version 9: the simulated upstream learns disks, boot modes, drives and a memory of when machines were on. */
export const simulatedDisks = `
ALTER TABLE simulated_machines ADD COLUMN specs TEXT;
ALTER TABLE simulated_machines ADD COLUMN boot_mode TEXT NOT NULL DEFAULT 'disk'
  CHECK (boot_mode IN ('disk', 'rescue'));
ALTER TABLE simulated_machines ADD COLUMN iso TEXT;
-- The key that logs in as root, as its line in authorized_keys; it is public.
ALTER TABLE simulated_machines ADD COLUMN ssh_key TEXT;
ALTER TABLE simulated_machines ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;

ALTER TABLE simulated_operations ADD COLUMN subject TEXT;
-- A backup that gave way to another operation.
ALTER TABLE simulated_operations ADD COLUMN abandoned INTEGER NOT NULL DEFAULT 0 CHECK (abandoned IN (0, 1));

CREATE TABLE simulated_images (
  tag TEXT NOT NULL,
  name TEXT NOT NULL,
  os TEXT NOT NULL,
  hostname TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  PRIMARY KEY (tag, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE simulated_power (
  tag TEXT NOT NULL,
  at INTEGER NOT NULL,
  power TEXT NOT NULL CHECK (power IN ('on', 'off')),
  PRIMARY KEY (tag, at)
) STRICT, WITHOUT ROWID;
`
