/** The versions 2 to 9 of the schema. */
import type { Migration } from "./Dialect.ts"

export const versions2To9: ReadonlyArray<Migration> = [
  /** Version 2: the simulated upstream's own tables. Nothing else in the schema refers to them. */
  ({ clustered, identity, integer, strict, text }) => `
CREATE TABLE simulated_machines (
  id ${identity},
  tag ${text} NOT NULL UNIQUE,
  hostname ${text} NOT NULL,
  os ${text} NOT NULL,
  plan ${text} NOT NULL,
  node ${text} NOT NULL,
  power ${text} NOT NULL CHECK (power IN ('on', 'off')),
  address ${integer} NOT NULL UNIQUE,
  operation ${text} NOT NULL
)${strict};

CREATE TABLE simulated_ptr_records (
  ip ${text} PRIMARY KEY,
  tag ${text} NOT NULL,
  ptr ${text} NOT NULL
)${clustered};
CREATE INDEX simulated_ptr_records_of_machine ON simulated_ptr_records(tag);

CREATE TABLE simulated_operations (
  key ${text} PRIMARY KEY,
  tag ${text} NOT NULL,
  type ${text} NOT NULL,
  accepted_at ${integer} NOT NULL
)${clustered};
CREATE INDEX simulated_operations_by_age ON simulated_operations(accepted_at);

CREATE TABLE simulated_polls (
  tag ${text} PRIMARY KEY,
  polls ${integer} NOT NULL
)${clustered};

CREATE TABLE simulated_deploy (
  id ${integer} PRIMARY KEY CHECK (id = 1),
  mode ${text} NOT NULL CHECK (mode IN ('instant', 'after_ms', 'after_polls')),
  value ${integer} NOT NULL CHECK (value >= 0)
)${strict};
`,
  /** Version 3: coupons and their redemptions. A fixed value is minor units, a percentage basis points. */
  ({ identity, integer, strict, text }) => `
CREATE TABLE coupons (
  id ${identity},
  code ${text} NOT NULL UNIQUE,
  kind ${text} NOT NULL CHECK (kind IN ('percent', 'fixed')),
  value ${integer} NOT NULL CHECK (value > 0 AND (kind = 'fixed' OR value <= 10000)),
  currency ${text} CHECK ((currency IS NULL) = (kind = 'percent')),
  valid_from ${integer},
  valid_until ${integer},
  max_uses ${integer} CHECK (max_uses > 0),
  once_per_account ${integer} NOT NULL CHECK (once_per_account IN (0, 1)),
  uses ${integer} NOT NULL CHECK (uses >= 0 AND (max_uses IS NULL OR uses <= max_uses)),
  created_at ${integer} NOT NULL
)${strict};

CREATE TABLE coupon_redemptions (
  order_id ${integer} PRIMARY KEY REFERENCES orders(id),
  coupon_id ${integer} NOT NULL REFERENCES coupons(id),
  account_id ${integer} NOT NULL REFERENCES accounts(id),
  once_per_account ${integer} NOT NULL CHECK (once_per_account IN (0, 1)),
  discount ${integer} NOT NULL CHECK (discount >= 0),
  created_at ${integer} NOT NULL,
  released_at ${integer}
)${strict};
-- Once per account is this index; a redemption that was given back no longer counts.
CREATE UNIQUE INDEX coupon_once_per_account ON coupon_redemptions(coupon_id, account_id)
  WHERE once_per_account = 1 AND released_at IS NULL;
`,
  /** Version 4: the end of a period. Each index serves one query: the next instance that is due. */
  ({ integer, text }) => `
-- The power to come back to when an expired instance is renewed.
ALTER TABLE instances ADD COLUMN resume_power ${text} CHECK (resume_power IN ('on', 'off'));
ALTER TABLE instances ADD COLUMN grace_until ${integer};
ALTER TABLE instances ADD COLUMN deleted_at ${integer};
CREATE INDEX instances_expiring ON instances(expires_at) WHERE lifecycle IN ('active', 'suspended');
CREATE INDEX instances_in_grace ON instances(grace_until) WHERE lifecycle = 'expired';
`,
  /** Version 5: rate limits of an account's creates; null is the service's own limit. Arrival times are GCRA's. */
  ({ integer }) => `
ALTER TABLE accounts ADD COLUMN creates_per_minute ${integer} CHECK (creates_per_minute > 0);
ALTER TABLE accounts ADD COLUMN creates_per_hour ${integer} CHECK (creates_per_hour > 0);
ALTER TABLE accounts ADD COLUMN create_minute_arrival ${integer} NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN create_hour_arrival ${integer} NOT NULL DEFAULT 0;
`,
  /** Version 6: idempotency keys expire some time after their instance; null while it exists. */
  ({ integer }) => `
ALTER TABLE idempotency_keys ADD COLUMN forget_at ${integer};
CREATE INDEX idempotency_keys_of_instance ON idempotency_keys(instance_id);
CREATE INDEX idempotency_keys_to_forget ON idempotency_keys(forget_at) WHERE forget_at IS NOT NULL;
`,
  /** Version 7: the settings of the emulator's controls, which survive a restart. Saved states also survive a reset. */
  ({ identity, integer, strict, text }) => `
CREATE TABLE emulator_clock (
  id ${integer} PRIMARY KEY CHECK (id = 1),
  ahead ${integer} NOT NULL,
  frozen_at ${integer}
)${strict};

CREATE TABLE emulator_faults (
  id ${identity},
  rule ${text} NOT NULL,
  drawn ${integer} NOT NULL,
  hits ${integer} NOT NULL
)${strict};

CREATE TABLE emulator_states (
  name ${text} PRIMARY KEY,
  saved_at ${integer} NOT NULL,
  content ${text} NOT NULL
)${strict};
`,
  /** Version 8: snapshots, backups, ISOs, and the list price that an order was made at. */
  ({ identity, integer, strict, text }) => `
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
`,
  /** Version 9: the simulated upstream has disks, boot modes, drives, and the power history of its machines. */
  ({ clustered, integer, text }) => `
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
]
