/** Version 22: hosts of machines with what is promised of them, their images, and the addresses of machines. */
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

export const hosts: Migration = (dialect) => machines(dialect) + addresses(dialect)
