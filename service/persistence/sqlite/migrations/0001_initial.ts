/** Version 1. Times are epoch milliseconds, money is minor units, rates are basis points, booleans are 0 and 1. */
export const initial = `
CREATE TABLE accounts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  email TEXT NOT NULL,
  currency TEXT NOT NULL,
  vat_treatment TEXT NOT NULL,
  vat_rate INTEGER NOT NULL CHECK (vat_rate BETWEEN 0 AND 10000),
  wallet INTEGER NOT NULL CHECK (wallet >= 0),
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE api_keys (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts(id),
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  last4 TEXT NOT NULL,
  digest TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  last_used_at INTEGER
) STRICT;

CREATE TABLE data_centres (
  id INTEGER PRIMARY KEY,
  label TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE plans (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  slug TEXT NOT NULL UNIQUE,
  description TEXT,
  price INTEGER NOT NULL CHECK (price >= 0),
  currency TEXT NOT NULL,
  billing_cycle TEXT NOT NULL,
  category TEXT NOT NULL,
  specs TEXT,
  data_centre_id INTEGER NOT NULL REFERENCES data_centres(id),
  is_active INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  out_of_stock INTEGER NOT NULL CHECK (out_of_stock IN (0, 1)),
  auto_deploy INTEGER NOT NULL CHECK (auto_deploy IN (0, 1)),
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE images (
  os_id INTEGER PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE,
  label TEXT NOT NULL,
  version TEXT NOT NULL,
  icon TEXT,
  family TEXT NOT NULL
) STRICT;

CREATE TABLE data_centre_images (
  data_centre_id INTEGER NOT NULL REFERENCES data_centres(id),
  os_id INTEGER NOT NULL REFERENCES images(os_id),
  is_default INTEGER NOT NULL CHECK (is_default IN (0, 1)),
  PRIMARY KEY (data_centre_id, os_id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX data_centre_default_image ON data_centre_images(data_centre_id) WHERE is_default = 1;

CREATE TABLE orders (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts(id),
  plan_id INTEGER NOT NULL REFERENCES plans(id),
  status TEXT NOT NULL CHECK (status IN ('paid', 'refunded')),
  config TEXT NOT NULL,
  charge INTEGER NOT NULL CHECK (charge >= 0),
  created_at INTEGER NOT NULL,
  paid_at INTEGER
) STRICT;

CREATE TABLE instances (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts(id),
  order_id INTEGER NOT NULL REFERENCES orders(id),
  lifecycle TEXT NOT NULL CHECK (lifecycle IN ('pending', 'active', 'failed', 'suspended', 'expired', 'deleted')),
  power TEXT NOT NULL CHECK (power IN ('on', 'off')),
  boot_mode TEXT NOT NULL CHECK (boot_mode IN ('disk', 'rescue')),
  hostname TEXT,
  os TEXT NOT NULL,
  provider_id TEXT,
  ipv4 TEXT,
  ipv6 TEXT,
  provider_data TEXT,
  suspended_reason TEXT,
  auto_renew INTEGER NOT NULL CHECK (auto_renew IN (0, 1)),
  expires_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX instances_of_account ON instances(account_id, id);
-- Partial: a new instance has none yet, and need not pay for an entry.
CREATE UNIQUE INDEX instances_of_provider ON instances(provider_id) WHERE provider_id IS NOT NULL;

-- The queue, the lock and the activity feed at once.
CREATE TABLE tasks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  instance_id INTEGER NOT NULL REFERENCES instances(id),
  kind TEXT NOT NULL CHECK (kind IN ('operation', 'audit')),
  type TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
  progress INTEGER NOT NULL CHECK (progress BETWEEN 0 AND 100),
  actor TEXT NOT NULL,
  api_key_id INTEGER,
  request_id TEXT,
  error TEXT,
  params TEXT NOT NULL,
  sealed TEXT,
  attempts INTEGER NOT NULL,
  run_at INTEGER,
  fence INTEGER NOT NULL,
  lease_until INTEGER,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  finished_at INTEGER
) STRICT;
-- At most one open operation per instance: this index is the lock.
CREATE UNIQUE INDEX tasks_open ON tasks(instance_id) WHERE kind = 'operation' AND status IN ('queued', 'running');
CREATE INDEX tasks_queue ON tasks(run_at) WHERE status = 'queued';
CREATE INDEX tasks_leased ON tasks(lease_until) WHERE status = 'running';
CREATE INDEX tasks_feed ON tasks(instance_id, id);

CREATE TABLE journals (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts(id),
  kind TEXT NOT NULL,
  reference TEXT NOT NULL UNIQUE,
  currency TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE entries (
  journal_id INTEGER NOT NULL REFERENCES journals(id),
  line INTEGER NOT NULL,
  account TEXT NOT NULL,
  amount INTEGER NOT NULL,
  PRIMARY KEY (journal_id, line)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency_keys (
  api_key_id INTEGER NOT NULL REFERENCES api_keys(id),
  digest TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  instance_id INTEGER NOT NULL REFERENCES instances(id),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (api_key_id, digest)
) STRICT, WITHOUT ROWID;

-- The ledger is append-only: a correction is a reversing journal.
CREATE TRIGGER journals_keep_update BEFORE UPDATE ON journals BEGIN
  SELECT RAISE(ABORT, 'journals are append-only');
END;
CREATE TRIGGER journals_keep_delete BEFORE DELETE ON journals BEGIN
  SELECT RAISE(ABORT, 'journals are append-only');
END;
CREATE TRIGGER entries_keep_update BEFORE UPDATE ON entries BEGIN
  SELECT RAISE(ABORT, 'entries are append-only');
END;
CREATE TRIGGER entries_keep_delete BEFORE DELETE ON entries BEGIN
  SELECT RAISE(ABORT, 'entries are append-only');
END;
`
