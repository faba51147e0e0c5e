/** Version 2: the simulated upstream's own tables. Nothing else in the schema refers to them. */
export const simulatedMachines = `
CREATE TABLE simulated_machines (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  tag TEXT NOT NULL UNIQUE,
  hostname TEXT NOT NULL,
  os TEXT NOT NULL,
  plan TEXT NOT NULL,
  node TEXT NOT NULL,
  power TEXT NOT NULL CHECK (power IN ('on', 'off')),
  address INTEGER NOT NULL UNIQUE,
  operation TEXT NOT NULL
) STRICT;

CREATE TABLE simulated_ptr_records (
  ip TEXT PRIMARY KEY,
  tag TEXT NOT NULL,
  ptr TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX simulated_ptr_records_of_machine ON simulated_ptr_records(tag);

CREATE TABLE simulated_operations (
  key TEXT PRIMARY KEY,
  tag TEXT NOT NULL,
  type TEXT NOT NULL,
  accepted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX simulated_operations_by_age ON simulated_operations(accepted_at);

CREATE TABLE simulated_polls (
  tag TEXT PRIMARY KEY,
  polls INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE simulated_deploy (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  mode TEXT NOT NULL CHECK (mode IN ('instant', 'after_ms', 'after_polls')),
  value INTEGER NOT NULL CHECK (value >= 0)
) STRICT;
`
