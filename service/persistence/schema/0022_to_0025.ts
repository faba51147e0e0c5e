/** The versions 22 to 25 of the schema. */
import type { Migration } from "./Dialect.ts"

const machines: Migration = ({ identity, integer, strict, text }) => `
CREATE TABLE hosts (
  id ${identity},
  name ${text} NOT NULL UNIQUE,
  data_centre_id ${integer} NOT NULL REFERENCES data_centres(id),
  uri ${text} NOT NULL,
  -- Folder with the certificates of a TLS connection.
  certificates ${text},
  pool ${text} NOT NULL,
  bridge ${text} NOT NULL,
  accelerator ${text} NOT NULL CHECK (accelerator IN ('kvm', 'qemu')),
  cpus ${integer} NOT NULL CHECK (cpus > 0),
  memory_mib ${integer} NOT NULL CHECK (memory_mib > 0),
  disk_gib ${integer} NOT NULL CHECK (disk_gib > 0),
  used_cpus ${integer} NOT NULL DEFAULT 0 CHECK (used_cpus >= 0),
  used_memory_mib ${integer} NOT NULL DEFAULT 0 CHECK (used_memory_mib >= 0),
  used_disk_gib ${integer} NOT NULL DEFAULT 0 CHECK (used_disk_gib >= 0),
  state ${text} NOT NULL CHECK (state IN ('active', 'draining', 'offline')),
  created_at ${integer} NOT NULL
)${strict};
CREATE INDEX hosts_by_data_centre ON hosts(data_centre_id);

-- Made in the transaction of a create, so that nothing is sold that does not fit.
CREATE TABLE reservations (
  instance_id ${integer} PRIMARY KEY REFERENCES instances(id),
  host_id ${integer} NOT NULL REFERENCES hosts(id),
  account_id ${integer} NOT NULL,
  cpus ${integer} NOT NULL,
  memory_mib ${integer} NOT NULL,
  disk_gib ${integer} NOT NULL
)${strict};
CREATE INDEX reservations_by_account ON reservations(account_id, host_id);

`

const addresses: Migration = ({ clustered, identity, integer, strict, text }) => `
CREATE TABLE address_pools (
  id ${identity},
  network ${text} NOT NULL UNIQUE,
  gateway ${text} NOT NULL,
  prefix ${integer} NOT NULL,
  data_centre_id ${integer} NOT NULL REFERENCES data_centres(id),
  created_at ${integer} NOT NULL
)${strict};

CREATE TABLE addresses (
  address ${text} PRIMARY KEY,
  pool_id ${integer} NOT NULL REFERENCES address_pools(id),
  instance_id ${integer} UNIQUE,
  -- Not given to another instance before, because others may still send to it.
  free_at ${integer} NOT NULL
)${clustered};
CREATE INDEX addresses_free ON addresses(pool_id, free_at) WHERE instance_id IS NULL;

CREATE TABLE host_images (
  host_id ${integer} NOT NULL REFERENCES hosts(id),
  slug ${text} NOT NULL,
  kind ${text} NOT NULL CHECK (kind IN ('disk', 'iso')),
  sha256 ${text} NOT NULL,
  volume ${text} NOT NULL,
  created_at ${integer} NOT NULL,
  PRIMARY KEY (host_id, slug)
)${clustered};
`

export const versions22To25: ReadonlyArray<Migration> = [
  /** Version 22: hosts of machines with what is promised of them, their images, and the addresses of machines. */
  (dialect) => machines(dialect) + addresses(dialect),
  /** Version 23: the price of an order that an operator has announced, for periods that begin at a moment or later. */
  ({ integer }) => `
ALTER TABLE orders ADD COLUMN next_price ${integer} CHECK (next_price >= 0);
ALTER TABLE orders ADD COLUMN next_price_from ${integer};
`,
  /**
   * Version 24: since when a host has not responded, the storage that it shares with others, the host that an instance
   * moves to, and leases for work that one process does for all.
   */
  ({ clustered, integer, text }) => `
ALTER TABLE hosts ADD COLUMN unreachable_since ${integer};
-- Hosts with the same text see the same volumes in their pools.
ALTER TABLE hosts ADD COLUMN shared_storage ${text};

-- While it moves, an instance is promised capacity on both hosts.
ALTER TABLE reservations ADD COLUMN target_id ${integer} REFERENCES hosts(id);
-- Its host failed, and what that had defined is lost with it.
ALTER TABLE reservations ADD COLUMN fenced ${integer} NOT NULL DEFAULT 0 CHECK (fenced IN (0, 1));
CREATE INDEX reservations_by_host ON reservations(host_id);

CREATE TABLE leases (
  name ${text} PRIMARY KEY,
  holder ${text} NOT NULL,
  held_until ${integer} NOT NULL
)${clustered};
`,
  /** Version 25: the audit log. Each entry has the hash of the one before it. */
  ({ integer, refuse, strict, text }) => `
CREATE TABLE audit (
  -- Without gaps: each entry takes the number after the newest, so that two at once cannot both be stored.
  seq ${integer} PRIMARY KEY CHECK (seq > 0),
  at ${integer} NOT NULL,
  actor_kind ${text} NOT NULL CHECK (actor_kind IN ('person', 'command', 'service')),
  person_id ${integer},
  actor ${text} NOT NULL,
  origin ${text} NOT NULL,
  request_id ${text},
  action ${text} NOT NULL,
  account_id ${integer},
  instance_id ${integer},
  details ${text} NOT NULL,
  outcome ${text} NOT NULL CHECK (outcome IN ('done', 'rejected', 'failed')),
  error ${text},
  previous ${text} NOT NULL,
  hash ${text} NOT NULL
)${strict};
CREATE INDEX audit_of_account ON audit(account_id, seq) WHERE account_id IS NOT NULL;
CREATE INDEX audit_of_instance ON audit(instance_id, seq) WHERE instance_id IS NOT NULL;
${refuse("audit_keep_update", "UPDATE ON audit", "the audit log is append-only")}
${refuse("audit_keep_delete", "DELETE ON audit", "the audit log is append-only")}
`
]
