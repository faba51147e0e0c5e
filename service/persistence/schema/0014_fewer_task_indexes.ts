/**
 * Version 14: a claim changes one index instead of three. The index that allows one open operation per instance no
 * longer depends on the status, and what is queued and what is leased falls due in one order.
 */
import type { Migration } from "./Dialect.ts"

export const fewerTaskIndexes: Migration = () => `
UPDATE tasks SET finished_at = created_at WHERE finished_at IS NULL AND status NOT IN ('queued', 'running');
DROP INDEX tasks_open;
DROP INDEX tasks_queue;
DROP INDEX tasks_leased;
-- At most one open operation per instance: this index is the lock. Audit entries are finished when they are written.
CREATE UNIQUE INDEX tasks_open ON tasks(instance_id) WHERE finished_at IS NULL;
CREATE INDEX tasks_due ON tasks((CASE status WHEN 'queued' THEN run_at ELSE lease_until END))
  WHERE finished_at IS NULL;
`
