/** Version 29: samples of machines, for replicas. A single process stores them in files. */
import type { Migration } from "./Dialect.ts"

export const metrics: Migration = ({ clustered, integer, text, unlogged }) => `
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
`
