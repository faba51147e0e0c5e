/** Version 2: the simulated upstream's own tables. Nothing else in the schema refers to them. */
import type { Migration } from "./Dialect.ts"

export const simulatedMachines: Migration = ({ clustered, identity, integer, strict, text }) => `
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
`
