/** The versions of the schema from 26 on. A new one is appended. */
import type { Migration } from "./Dialect.ts"

const people: Migration = ({ clustered, identity, integer, strict, text }) => `
CREATE TABLE people (
  id ${identity},
  email ${text} NOT NULL UNIQUE,
  name ${text} NOT NULL,
  role ${text} NOT NULL CHECK (role IN ('customer', 'operator')),
  -- Names the person to authenticators; random, because they may show it.
  handle ${text} NOT NULL UNIQUE,
  created_at ${integer} NOT NULL
)${strict};

CREATE TABLE memberships (
  person_id ${integer} NOT NULL REFERENCES people(id),
  account_id ${integer} NOT NULL REFERENCES accounts(id),
  created_at ${integer} NOT NULL,
  PRIMARY KEY (person_id, account_id)
)${clustered};
CREATE INDEX memberships_by_account ON memberships(account_id, person_id);

CREATE TABLE passkeys (
  id ${identity},
  person_id ${integer} NOT NULL REFERENCES people(id),
  credential ${text} NOT NULL UNIQUE,
  public_key ${text} NOT NULL,
  counter ${integer} NOT NULL,
  transports ${text} NOT NULL,
  backed_up ${integer} NOT NULL CHECK (backed_up IN (0, 1)),
  -- The domain for which it was made; it works for no other.
  domain ${text} NOT NULL,
  name ${text} NOT NULL,
  created_at ${integer} NOT NULL,
  last_used_at ${integer}
)${strict};
CREATE INDEX passkeys_by_person ON passkeys(person_id);

CREATE TABLE stored_ssh_keys (
  id ${identity},
  account_id ${integer} NOT NULL REFERENCES accounts(id),
  name ${text} NOT NULL,
  public_key ${text} NOT NULL,
  fingerprint ${text} NOT NULL,
  created_at ${integer} NOT NULL,
  UNIQUE (account_id, fingerprint)
)${strict};
`

/** Without references: an emulator's reset and saved states replace people, and keep sessions. */
const sessions: Migration = ({ clustered, identity, integer, strict, text }) => `
CREATE TABLE sessions (
  id ${identity},
  digest ${text} NOT NULL UNIQUE,
  person_id ${integer} NOT NULL,
  method ${text} NOT NULL CHECK (method IN ('link', 'passkey')),
  address ${text} NOT NULL,
  agent ${text} NOT NULL,
  created_at ${integer} NOT NULL,
  seen_at ${integer} NOT NULL,
  fresh_at ${integer} NOT NULL
)${strict};
CREATE INDEX sessions_by_person ON sessions(person_id);
CREATE INDEX sessions_by_start ON sessions(created_at);

CREATE TABLE sign_in_links (
  digest ${text} PRIMARY KEY,
  person_id ${integer} NOT NULL,
  expires_at ${integer} NOT NULL
)${clustered};
CREATE INDEX sign_in_links_by_person ON sign_in_links(person_id);
CREATE INDEX sign_in_links_by_end ON sign_in_links(expires_at);

-- What an authenticator has to sign, once.
CREATE TABLE challenges (
  digest ${text} PRIMARY KEY,
  -- A session of which it is; null for a sign-in.
  session_id ${integer},
  expires_at ${integer} NOT NULL
)${clustered};
CREATE INDEX challenges_by_end ON challenges(expires_at);

CREATE TABLE console_tickets (
  digest ${text} PRIMARY KEY,
  session_id ${integer} NOT NULL,
  instance_id ${integer} NOT NULL,
  expires_at ${integer} NOT NULL
)${clustered};
CREATE INDEX console_tickets_by_end ON console_tickets(expires_at);
`

const requests: Migration = ({ integer, strict, text }) => `
ALTER TABLE tasks ADD COLUMN person_id ${integer};

CREATE TABLE owned_keys (
  instance_id ${integer} PRIMARY KEY REFERENCES instances(id),
  api_key_id ${integer} REFERENCES api_keys(id),
  -- For a create in the panel, whose keys belong to the account: signing in again must not buy again.
  account_id ${integer} REFERENCES accounts(id),
  digest ${text} NOT NULL,
  fingerprint ${text} NOT NULL,
  created_at ${integer} NOT NULL,
  forget_at ${integer},
  CHECK ((api_key_id IS NULL) <> (account_id IS NULL))
)${strict};
INSERT INTO owned_keys (instance_id, api_key_id, digest, fingerprint, created_at, forget_at)
  SELECT instance_id, api_key_id, digest, fingerprint, created_at, forget_at FROM idempotency_keys ORDER BY instance_id;
DROP TABLE idempotency_keys;
ALTER TABLE owned_keys RENAME TO idempotency_keys;
CREATE UNIQUE INDEX idempotency_keys_claim ON idempotency_keys(api_key_id, digest);
CREATE UNIQUE INDEX idempotency_keys_of_account ON idempotency_keys(account_id, digest) WHERE account_id IS NOT NULL;
CREATE INDEX idempotency_keys_to_forget ON idempotency_keys(forget_at) WHERE forget_at IS NOT NULL;
`

export const versions26AndLater: ReadonlyArray<Migration> = [
  /**
   * Version 26: people who sign in to the panel, with their memberships, passkeys, links and sessions; who requested a
   * task; and the creates of an account's members under its own idempotency keys.
   */
  (dialect) => people(dialect) + sessions(dialect) + requests(dialect),
  /** Version 27: IPv6 addresses of machines. They are not reused, so only those in use are stored. */
  ({ integer, strict, text }) => `
CREATE TABLE ipv6_addresses (
  instance_id ${integer} PRIMARY KEY,
  pool_id ${integer} NOT NULL REFERENCES address_pools(id),
  address ${text} NOT NULL UNIQUE
)${strict};
`,
  /** Version 28: a booking has its instance and its calculation, a refund has what it refunds; accounts are closed. */
  ({ integer, text }) => `
ALTER TABLE journals ADD COLUMN instance_id ${integer};
ALTER TABLE journals ADD COLUMN reverses ${integer};
-- JSON text of an object.
ALTER TABLE journals ADD COLUMN explanation ${text};
CREATE INDEX journals_of_account ON journals(account_id, id);
CREATE INDEX journals_reversing ON journals(reverses) WHERE reverses IS NOT NULL;
ALTER TABLE accounts ADD COLUMN closed_at ${integer};
`,
  /** Version 29: samples of machines, for replicas. A single process stores them in files. */
  ({ clustered, integer, text, unlogged }) => `
CREATE ${unlogged}TABLE metric_samples (
  step_seconds ${integer} NOT NULL,
  -- A new sample replaces the one of an earlier round.
  slot ${integer} NOT NULL,
  tag ${text} NOT NULL,
  at ${integer} NOT NULL,
  cpu_hundredths ${integer} NOT NULL,
  memory ${integer} NOT NULL,
  memory_total ${integer} NOT NULL,
  disk_read ${integer} NOT NULL,
  disk_write ${integer} NOT NULL,
  network_rx ${integer} NOT NULL,
  network_tx ${integer} NOT NULL,
  PRIMARY KEY (step_seconds, slot, tag)
)${clustered};
`,
  /**
   * Version 30: append-only tables cannot be emptied by TRUNCATE, which fires no trigger of rows. SQLite does not have
   * the statement, and its DELETE without a condition fires them.
   */
  ({ refuse }) => `
${refuse("audit_keep_truncate", "TRUNCATE ON audit", "the audit log is append-only")}
${refuse("journals_keep_truncate", "TRUNCATE ON journals", "journals are append-only")}
${refuse("entries_keep_truncate", "TRUNCATE ON entries", "entries are append-only")}
`,
  /** Version 31: the pool in which a host stores backups, and the backup that brought an instance up elsewhere. */
  ({ integer, text }) => `
-- NULL: backups are in the same pool as the disks.
ALTER TABLE hosts ADD COLUMN backup_pool ${text};
-- Hosts with the same text see the same volumes in their backup pools.
ALTER TABLE hosts ADD COLUMN shared_backups ${text};

-- Of a fenced reservation: the backup that becomes the disk. NULL: the disk is on shared storage.
ALTER TABLE reservations ADD COLUMN backup_id ${integer};
`,
  /** Version 32: finds the termination of a simulated machine, after which a delayed deployment is rejected. */
  () => `
CREATE INDEX simulated_terminations ON simulated_operations(tag) WHERE type = 'terminate';
`,
  /** Version 33: the statements that insert tasks count them. */
  ({ dropTrigger }) => dropTrigger("instances_task_count_insert", "tasks"),
  /** Version 34: a termination that has begun is final, and has the time of its next attempt in a column of its own. */
  ({ integer }) => `
-- When the machine is deleted; NULL unless the termination has begun.
ALTER TABLE instances ADD COLUMN terminate_at ${integer};
-- The newest of its expiries and terminations is a termination.
UPDATE instances SET terminate_at = grace_until, grace_until = NULL, auto_renew = 0
  WHERE lifecycle = 'expired' AND grace_until IS NOT NULL AND 'terminate' = (
    SELECT type FROM tasks WHERE instance_id = instances.id AND kind = 'operation' AND type IN ('expire', 'terminate')
    ORDER BY id DESC LIMIT 1);
DROP INDEX instances_in_grace;
CREATE INDEX instances_to_delete ON instances((coalesce(terminate_at, grace_until)))
  WHERE lifecycle IN ('expired', 'failed') AND coalesce(terminate_at, grace_until) IS NOT NULL;
`,
  /** Version 35: the lists of operators find rare rows, and the keys of an account, without reading all. */
  () => `
CREATE INDEX instances_rare ON instances(lifecycle, id)
  WHERE lifecycle IN ('suspended', 'expired', 'failed', 'deleted');
CREATE INDEX tasks_with_error ON tasks(status, id) WHERE status IN ('failed', 'cancelled');
CREATE INDEX api_keys_of_account ON api_keys(account_id, id);
`,
  /** Version 36: invitations are pending until they are accepted; a key has its maker. */
  ({ identity, integer, strict, text }) => `
CREATE TABLE invitations (
  id ${identity},
  -- NULL: an operator without an account.
  account_id ${integer} REFERENCES accounts(id),
  email ${text} NOT NULL,
  name ${text},
  role ${text} NOT NULL CHECK (role IN ('customer', 'operator')),
  -- NULL: an operator.
  invited_by ${text},
  digest ${text} NOT NULL UNIQUE,
  sent_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL,
  withdrawn_at ${integer}
)${strict};
CREATE UNIQUE INDEX invitations_of_account ON invitations(account_id, email) WHERE account_id IS NOT NULL;
CREATE UNIQUE INDEX invitations_of_operators ON invitations(email) WHERE account_id IS NULL;
CREATE INDEX invitations_by_email ON invitations(email);

-- NULL: a command on the host, or a key from before this version.
ALTER TABLE api_keys ADD COLUMN person_id ${integer};
-- The maker's address, which remains when the person is removed.
ALTER TABLE api_keys ADD COLUMN made_by ${text};
`,
  /** Version 37: American spelling, as everywhere else. */
  () => `
ALTER TABLE data_centres RENAME TO data_centers;
ALTER TABLE data_centre_images RENAME TO data_center_images;
ALTER TABLE data_center_images RENAME COLUMN data_centre_id TO data_center_id;
ALTER TABLE plans RENAME COLUMN data_centre_id TO data_center_id;
ALTER TABLE sold_plans RENAME COLUMN data_centre_id TO data_center_id;
ALTER TABLE hosts RENAME COLUMN data_centre_id TO data_center_id;
ALTER TABLE address_pools RENAME COLUMN data_centre_id TO data_center_id;
`,
  /**
   * Version 38: why a task exists is in columns. Before, the parameters ended in `"undo":true` or `"keep":true` for a
   * compensation, except for a termination after a failed deployment, and in `"settle":true,"of":7` for a settlement.
   */
  ({ integer, text }) => `
ALTER TABLE tasks ADD COLUMN purpose ${text} NOT NULL DEFAULT 'request'
  CHECK (purpose IN ('request', 'compensate', 'settle'));
-- The failed task that it compensates for or settles, which may be deleted since. NULL: it was requested.
ALTER TABLE tasks ADD COLUMN of_task_id ${integer};

UPDATE tasks SET purpose = 'settle',
    of_task_id = CAST(replace(substr(params, length(rtrim(params, '0123456789}')) + 1), '}', '') AS ${integer}),
    params = rtrim(substr(params, 1, length(rtrim(params, '0123456789}')) - length('"settle":true,"of":')), ',') || '}'
  WHERE kind = 'operation' AND params LIKE '%"settle":true,"of":%}';
UPDATE tasks SET purpose = 'compensate', params = replace(replace(params, ',"undo":true}', '}'), ',"keep":true}', '}')
  WHERE kind = 'operation' AND (params LIKE '%,"undo":true}' OR params LIKE '%,"keep":true}');
UPDATE tasks SET purpose = 'compensate'
  WHERE kind = 'operation' AND type = 'terminate' AND EXISTS (
    SELECT 1 FROM tasks f WHERE f.instance_id = tasks.instance_id AND f.type = 'provision' AND f.status = 'failed');
UPDATE tasks SET of_task_id = (
    SELECT max(f.id) FROM tasks f
    WHERE f.instance_id = tasks.instance_id AND f.id < tasks.id AND f.kind = 'operation' AND f.purpose = 'request'
      AND f.status = 'failed' AND CASE tasks.type
        WHEN 'terminate' THEN f.type = 'provision'
        WHEN 'resize' THEN f.type = 'resize'
        WHEN 'snapshot_delete' THEN f.type IN ('snapshot_create', 'snapshot_delete')
        ELSE f.type IN ('iso_mount', 'iso_unmount') END)
  WHERE purpose = 'compensate';
`,
  /** Version 39: the index orders addresses that became free at the same time, so that none is sorted. */
  () => `
DROP INDEX addresses_free;
CREATE INDEX addresses_free ON addresses(pool_id, free_at, address) WHERE instance_id IS NULL;
`,
  /** Version 40: a placement reads the hosts with most free memory, and not all of them. */
  () => `
CREATE INDEX hosts_free ON hosts(data_center_id, (memory_mib - used_memory_mib) DESC, id)
  WHERE state = 'active' AND unreachable_since IS NULL;
`,
  /** Version 41: members who only read, names of accounts, labels of instances, and an index of sign-ins. */
  ({ clustered, integer, text }) => `
ALTER TABLE memberships ADD COLUMN permission ${text} NOT NULL DEFAULT 'full' CHECK (permission IN ('read', 'full'));
ALTER TABLE invitations ADD COLUMN permission ${text} NOT NULL DEFAULT 'full' CHECK (permission IN ('read', 'full'));
-- NULL: the e-mail address is the name.
ALTER TABLE accounts ADD COLUMN name ${text};

CREATE TABLE instance_labels (
  instance_id ${integer} NOT NULL REFERENCES instances(id),
  label ${text} NOT NULL,
  PRIMARY KEY (instance_id, label)
)${clustered};
-- Grows with each change of a label in the account, so that open pages notice it.
ALTER TABLE accounts ADD COLUMN labels_version ${integer} NOT NULL DEFAULT 0;

CREATE INDEX audit_sign_ins ON audit(person_id, seq) WHERE action IN ('sign_in.link', 'sign_in.passkey');
`,
  /** Version 42: a failed task is shown to the customer until it is dismissed. */
  ({ integer }) => `
ALTER TABLE tasks ADD COLUMN dismissed_at ${integer};
CREATE INDEX tasks_failed ON tasks(instance_id, id) WHERE status = 'failed';
`,
  /** Version 43: operators' notes. */
  ({ identity, integer, strict, text }) => `
CREATE TABLE notes (
  id ${identity},
  account_id ${integer} NOT NULL REFERENCES accounts(id),
  -- NULL: about the account.
  instance_id ${integer} REFERENCES instances(id),
  text ${text} NOT NULL,
  -- The operator's address, or the user on the host.
  author ${text} NOT NULL,
  created_at ${integer} NOT NULL
)${strict};
CREATE INDEX notes_of_account ON notes(account_id, id);
CREATE INDEX notes_of_instance ON notes(instance_id, id) WHERE instance_id IS NOT NULL;
`,
  /**
   * Version 44: tags of machines end in a random text, so that no other instance ever has the same, and deployments
   * wait when the database may lack instances that have machines.
   */
  ({ freshIds, integer, strict, text }) => `
-- Of the machine's tag, after the id; NULL for one that was made before this version, which has none.
ALTER TABLE instances ADD COLUMN tag_suffix ${text};

CREATE TABLE deployment_hold (
  id ${integer} PRIMARY KEY CHECK (id = 1),
  reason ${text} NOT NULL,
  since ${integer} NOT NULL
)${strict};
${freshIds(["instances", "orders", "tasks", "snapshots", "backups"])}
`,
  /** Version 45: the time of the service at which an outage began that still has to be added to grace periods. */
  ({ integer }) => `
ALTER TABLE service_clock ADD COLUMN stopped_at ${integer};
`,
  /** Version 46: mails wait in the database, written with what they report. */
  ({ identity, integer, strict, text }) => `
CREATE TABLE mails (
  id ${identity},
  -- A mail with the same event is not written again.
  event ${text} NOT NULL UNIQUE,
  kind ${text} NOT NULL,
  account_id ${integer} REFERENCES accounts(id),
  instance_id ${integer} REFERENCES instances(id),
  recipient ${text} NOT NULL,
  subject ${text} NOT NULL,
  body ${text} NOT NULL,
  created_at ${integer} NOT NULL,
  -- Of the next attempt; NULL once it is sent, refused, or withdrawn.
  due_at ${integer},
  attempts ${integer} NOT NULL DEFAULT 0,
  -- While an attempt is being made.
  lease_until ${integer},
  sent_at ${integer},
  -- Of the last attempt that failed, or why it was not sent.
  error ${text}
)${strict};
CREATE INDEX mails_due ON mails(due_at) WHERE due_at IS NOT NULL;
CREATE INDEX mails_sent ON mails(created_at) WHERE sent_at IS NOT NULL;
CREATE INDEX mails_of_account ON mails(account_id, id) WHERE account_id IS NOT NULL;

-- The mail that announced the price; NULL for one that was announced before this version.
ALTER TABLE orders ADD COLUMN next_price_mail_id ${integer};
`,
  /**
   * Version 47: a payment that is taken back after it was spent is booked, so a wallet may be below zero, as far as an
   * operator's booking took it there. Anything else is still refused by the constraint.
   */
  ({ integer }) => `
ALTER TABLE accounts ADD COLUMN owed_max ${integer} NOT NULL DEFAULT 0 CHECK (owed_max >= 0);
ALTER TABLE accounts ADD COLUMN balance ${integer} NOT NULL DEFAULT 0 CHECK (balance >= -owed_max);
UPDATE accounts SET balance = wallet WHERE wallet <> 0;
-- Neither database can change the constraint of a column in place by the same statement.
ALTER TABLE accounts DROP COLUMN wallet;
ALTER TABLE accounts RENAME COLUMN balance TO wallet;
CREATE INDEX accounts_owing ON accounts(id) WHERE owed_max > 0;
`,
  /** Version 48: the paid period of an instance can pause, and accounts can be frozen. */
  ({ integer, text }) => `
-- The time that its period has paused. Periods are counted without it, so that the day of the month stays.
ALTER TABLE instances ADD COLUMN paused_millis ${integer} NOT NULL DEFAULT 0;
-- The beginning of a suspension that is not charged; NULL otherwise.
ALTER TABLE instances ADD COLUMN free_since ${integer};
DROP INDEX instances_ending;
CREATE INDEX instances_ending ON instances((coalesce(renew_after, expires_at)))
  WHERE lifecycle IN ('active', 'suspended') AND expires_at IS NOT NULL AND free_since IS NULL;

-- The reason, which the customer sees; NULL unless it is frozen.
ALTER TABLE accounts ADD COLUMN frozen_reason ${text};
ALTER TABLE accounts ADD COLUMN frozen_at ${integer};
-- 1 if it is suspended because its account is frozen.
ALTER TABLE instances ADD COLUMN frozen ${integer} NOT NULL DEFAULT 0 CHECK (frozen IN (0, 1));
-- An account may be limited to no order at all.
${
    ["minute", "hour"].map((window) => `
ALTER TABLE accounts ADD COLUMN own_limit ${integer} CHECK (own_limit >= 0);
UPDATE accounts SET own_limit = creates_per_${window} WHERE creates_per_${window} IS NOT NULL;
ALTER TABLE accounts DROP COLUMN creates_per_${window};
ALTER TABLE accounts RENAME COLUMN own_limit TO creates_per_${window};`).join("")
  }
-- Partial, because the check at the start reads whole indexes by the names of their columns.
CREATE INDEX accounts_by_address ON accounts(lower(email)) WHERE closed_at IS NULL;
CREATE INDEX instances_frozen ON instances(account_id, id) WHERE frozen = 1;
`,
  /** Version 49: the disk that a host's storage has space for, by its latest report; NULL before the first. */
  ({ integer }) => `
ALTER TABLE hosts ADD COLUMN disk_limit_gib ${integer};
`,
  /** Version 50: the mails that members have chosen; without a row, the owner gets one, and others do not. */
  ({ clustered, integer, text }) => `
CREATE TABLE mail_choices (
  account_id ${integer} NOT NULL REFERENCES accounts(id),
  kind ${text} NOT NULL,
  person_id ${integer} NOT NULL REFERENCES people(id),
  wanted ${integer} NOT NULL CHECK (wanted IN (0, 1)),
  PRIMARY KEY (account_id, kind, person_id)
)${clustered};
CREATE INDEX mail_choices_of_person ON mail_choices(person_id, account_id);
`,
  /** Version 51: announcements and maintenance windows, and the mails with which operators try the mail server. */
  ({ clustered, identity, integer, strict, text }) => `
CREATE TABLE announcements (
  id ${identity},
  kind ${text} NOT NULL CHECK (kind IN ('maintenance', 'announcement')),
  -- NULL: all of them.
  host_id ${integer} REFERENCES hosts(id),
  title ${text} NOT NULL,
  text ${text} NOT NULL,
  starts_at ${integer} NOT NULL,
  ends_at ${integer} NOT NULL CHECK (ends_at > starts_at),
  -- The operator's address, or the user on the host.
  author ${text} NOT NULL,
  created_at ${integer} NOT NULL,
  -- Grows with each change, of which there is a mail.
  version ${integer} NOT NULL DEFAULT 1,
  cancelled_at ${integer}
)${strict};
CREATE INDEX announcements_open ON announcements(ends_at) WHERE cancelled_at IS NULL;

-- The accounts that were informed: they learn of changes also when nothing of theirs is concerned anymore.
CREATE TABLE announcement_accounts (
  announcement_id ${integer} NOT NULL REFERENCES announcements(id),
  account_id ${integer} NOT NULL REFERENCES accounts(id),
  PRIMARY KEY (announcement_id, account_id)
)${clustered};

CREATE INDEX mails_of_tests ON mails(id) WHERE kind = 'test';
`
]
