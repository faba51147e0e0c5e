/** Version 1. Times are epoch milliseconds, money is minor units, rates are basis points, booleans are 0 and 1. */
import type { Migration } from "./Dialect.ts"

const accounts: Migration = ({ identity, integer, strict, text }) => `
CREATE TABLE accounts (
  id ${identity},
  email ${text} NOT NULL,
  currency ${text} NOT NULL,
  vat_treatment ${text} NOT NULL,
  vat_rate ${integer} NOT NULL CHECK (vat_rate BETWEEN 0 AND 10000),
  wallet ${integer} NOT NULL CHECK (wallet >= 0),
  created_at ${integer} NOT NULL
)${strict};

CREATE TABLE api_keys (
  id ${identity},
  account_id ${integer} NOT NULL REFERENCES accounts(id),
  name ${text} NOT NULL,
  prefix ${text} NOT NULL,
  last4 ${text} NOT NULL,
  digest ${text} NOT NULL UNIQUE,
  scopes ${text} NOT NULL,
  created_at ${integer} NOT NULL,
  expires_at ${integer},
  revoked_at ${integer},
  last_used_at ${integer}
)${strict};

`

const catalogue: Migration = ({ clustered, integer, strict, text }) =>
  `CREATE TABLE data_centres (
  id ${integer} PRIMARY KEY,
  label ${text} NOT NULL UNIQUE
)${strict};

CREATE TABLE plans (
  id ${integer} PRIMARY KEY,
  name ${text} NOT NULL,
  slug ${text} NOT NULL UNIQUE,
  description ${text},
  price ${integer} NOT NULL CHECK (price >= 0),
  currency ${text} NOT NULL,
  billing_cycle ${text} NOT NULL,
  category ${text} NOT NULL,
  specs ${text},
  data_centre_id ${integer} NOT NULL REFERENCES data_centres(id),
  is_active ${integer} NOT NULL CHECK (is_active IN (0, 1)),
  out_of_stock ${integer} NOT NULL CHECK (out_of_stock IN (0, 1)),
  auto_deploy ${integer} NOT NULL CHECK (auto_deploy IN (0, 1)),
  created_at ${integer} NOT NULL
)${strict};

CREATE TABLE images (
  os_id ${integer} PRIMARY KEY,
  slug ${text} NOT NULL UNIQUE,
  label ${text} NOT NULL,
  version ${text} NOT NULL,
  icon ${text},
  family ${text} NOT NULL
)${strict};

CREATE TABLE data_centre_images (
  data_centre_id ${integer} NOT NULL REFERENCES data_centres(id),
  os_id ${integer} NOT NULL REFERENCES images(os_id),
  is_default ${integer} NOT NULL CHECK (is_default IN (0, 1)),
  PRIMARY KEY (data_centre_id, os_id)
)${clustered};
CREATE UNIQUE INDEX data_centre_default_image ON data_centre_images(data_centre_id) WHERE is_default = 1;

`

const instances: Migration = ({ identity, integer, strict, text }) =>
  `CREATE TABLE orders (
  id ${identity},
  account_id ${integer} NOT NULL REFERENCES accounts(id),
  plan_id ${integer} NOT NULL REFERENCES plans(id),
  status ${text} NOT NULL CHECK (status IN ('paid', 'refunded')),
  config ${text} NOT NULL,
  charge ${integer} NOT NULL CHECK (charge >= 0),
  created_at ${integer} NOT NULL,
  paid_at ${integer}
)${strict};

CREATE TABLE instances (
  id ${identity},
  account_id ${integer} NOT NULL REFERENCES accounts(id),
  order_id ${integer} NOT NULL REFERENCES orders(id),
  lifecycle ${text} NOT NULL CHECK (lifecycle IN ('pending', 'active', 'failed', 'suspended', 'expired', 'deleted')),
  power ${text} NOT NULL CHECK (power IN ('on', 'off')),
  boot_mode ${text} NOT NULL CHECK (boot_mode IN ('disk', 'rescue')),
  hostname ${text},
  os ${text} NOT NULL,
  provider_id ${text},
  ipv4 ${text},
  ipv6 ${text},
  provider_data ${text},
  suspended_reason ${text},
  auto_renew ${integer} NOT NULL CHECK (auto_renew IN (0, 1)),
  expires_at ${integer},
  created_at ${integer} NOT NULL
)${strict};
CREATE INDEX instances_of_account ON instances(account_id, id);
-- Partial: a new instance has none yet, and need not pay for an entry.
CREATE UNIQUE INDEX instances_of_provider ON instances(provider_id) WHERE provider_id IS NOT NULL;

`

const tasks: Migration = ({ identity, integer, strict, text }) =>
  `-- The queue, the lock and the activity feed at once.
CREATE TABLE tasks (
  id ${identity},
  instance_id ${integer} NOT NULL REFERENCES instances(id),
  kind ${text} NOT NULL CHECK (kind IN ('operation', 'audit')),
  type ${text} NOT NULL,
  status ${text} NOT NULL CHECK (status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
  progress ${integer} NOT NULL CHECK (progress BETWEEN 0 AND 100),
  actor ${text} NOT NULL,
  api_key_id ${integer},
  request_id ${text},
  error ${text},
  params ${text} NOT NULL,
  sealed ${text},
  attempts ${integer} NOT NULL,
  run_at ${integer},
  fence ${integer} NOT NULL,
  lease_until ${integer},
  created_at ${integer} NOT NULL,
  started_at ${integer},
  finished_at ${integer}
)${strict};
-- At most one open operation per instance: this index is the lock.
CREATE UNIQUE INDEX tasks_open ON tasks(instance_id) WHERE kind = 'operation' AND status IN ('queued', 'running');
CREATE INDEX tasks_queue ON tasks(run_at) WHERE status = 'queued';
CREATE INDEX tasks_leased ON tasks(lease_until) WHERE status = 'running';
CREATE INDEX tasks_feed ON tasks(instance_id, id);

`

const ledger: Migration = ({ clustered, identity, integer, refuse, strict, text }) =>
  `CREATE TABLE journals (
  id ${identity},
  account_id ${integer} NOT NULL REFERENCES accounts(id),
  kind ${text} NOT NULL,
  reference ${text} NOT NULL UNIQUE,
  currency ${text} NOT NULL,
  created_at ${integer} NOT NULL
)${strict};

CREATE TABLE entries (
  journal_id ${integer} NOT NULL REFERENCES journals(id),
  line ${integer} NOT NULL,
  account ${text} NOT NULL,
  amount ${integer} NOT NULL,
  PRIMARY KEY (journal_id, line)
)${clustered};

CREATE TABLE idempotency_keys (
  api_key_id ${integer} NOT NULL REFERENCES api_keys(id),
  digest ${text} NOT NULL,
  fingerprint ${text} NOT NULL,
  instance_id ${integer} NOT NULL REFERENCES instances(id),
  created_at ${integer} NOT NULL,
  PRIMARY KEY (api_key_id, digest)
)${clustered};

-- The ledger is append-only: a correction is a reversing journal.
${refuse("journals_keep_update", "UPDATE ON journals", "journals are append-only")}
${refuse("journals_keep_delete", "DELETE ON journals", "journals are append-only")}
${refuse("entries_keep_update", "UPDATE ON entries", "entries are append-only")}
${refuse("entries_keep_delete", "DELETE ON entries", "entries are append-only")}
`

export const initial: Migration = (dialect) =>
  [accounts, catalogue, instances, tasks, ledger].map((part) => part(dialect)).join("")
