/**
 * Version 24: since when a host has not responded, the storage that it shares with others, the host that an instance
 * moves to, and leases for work that one process does for all.
 */
import type { Migration } from "./Dialect.ts"

export const hostFailures: Migration = ({ clustered, integer, text }) => `
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
`
