/** Version 9: the simulated upstream has disks, boot modes, drives, and the power history of its machines. */
import type { Migration } from "./Dialect.ts"

export const simulatedDisks: Migration = ({ clustered, integer, text }) => `
ALTER TABLE simulated_machines ADD COLUMN specs ${text};
ALTER TABLE simulated_machines ADD COLUMN boot_mode ${text} NOT NULL DEFAULT 'disk'
  CHECK (boot_mode IN ('disk', 'rescue'));
ALTER TABLE simulated_machines ADD COLUMN iso ${text};
-- The key that logs in as root, as its line in authorized_keys; it is public.
ALTER TABLE simulated_machines ADD COLUMN ssh_key ${text};
ALTER TABLE simulated_machines ADD COLUMN created_at ${integer} NOT NULL DEFAULT 0;

ALTER TABLE simulated_operations ADD COLUMN subject ${text};
-- A backup that gave way to another operation.
ALTER TABLE simulated_operations ADD COLUMN abandoned ${integer} NOT NULL DEFAULT 0 CHECK (abandoned IN (0, 1));

CREATE TABLE simulated_images (
  tag ${text} NOT NULL,
  name ${text} NOT NULL,
  os ${text} NOT NULL,
  hostname ${text} NOT NULL,
  size_bytes ${integer} NOT NULL,
  PRIMARY KEY (tag, name)
)${clustered};

CREATE TABLE simulated_power (
  tag ${text} NOT NULL,
  at ${integer} NOT NULL,
  power ${text} NOT NULL CHECK (power IN ('on', 'off')),
  PRIMARY KEY (tag, at)
)${clustered};
`
