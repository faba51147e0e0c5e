/** The versions 10 to 21 of the schema. */
import type { Migration } from "./Dialect.ts"

export const versions10To21: ReadonlyArray<Migration> = [
  /** Version 10: the power of an instance before its suspension, which the end of the suspension restores. */
  ({ text }) => `
ALTER TABLE instances ADD COLUMN suspended_power ${text} CHECK (suspended_power IN ('on', 'off'));
`,
  /** Version 11: the span of the request that began a task, as a W3C traceparent; null unless requests are traced. */
  ({ text }) => `
ALTER TABLE tasks ADD COLUMN trace ${text};
`,
  /**
   * Version 12: idempotency keys are stored in the order of their instances; only their index is in random order. A
   * create used to change a random page of the widest table.
   */
  ({ integer, strict, text }) => `
CREATE TABLE slim_keys (
  instance_id ${integer} PRIMARY KEY REFERENCES instances(id),
  api_key_id ${integer} NOT NULL REFERENCES api_keys(id),
  digest ${text} NOT NULL,
  fingerprint ${text} NOT NULL,
  created_at ${integer} NOT NULL,
  forget_at ${integer}
)${strict};
INSERT INTO slim_keys (instance_id, api_key_id, digest, fingerprint, created_at, forget_at)
  SELECT instance_id, api_key_id, substr(digest, 1, 32), fingerprint, created_at, forget_at
  FROM idempotency_keys ORDER BY instance_id;
DROP TABLE idempotency_keys;
ALTER TABLE slim_keys RENAME TO idempotency_keys;
CREATE UNIQUE INDEX idempotency_keys_claim ON idempotency_keys(api_key_id, digest);
CREATE INDEX idempotency_keys_to_forget ON idempotency_keys(forget_at) WHERE forget_at IS NOT NULL;
`,
  /**
   * Version 13: nightly backups also for machines that were deployed before version 8. Each gets the time of its next
   * backup as `domain/Night.ts` computes it for later ones: from 02:00 UTC on, spread over two hours.
   */
  ({ epochSeconds }) => `
UPDATE instances
  SET next_backup_at =
    ((${epochSeconds} - 7200 - id * 7 % 120 * 60) / 86400 + 1) * 86400000 + 7200000 + id * 7 % 120 * 60000
  WHERE next_backup_at IS NULL AND lifecycle IN ('active', 'suspended', 'expired') AND EXISTS (
    SELECT 1 FROM orders o JOIN plans p ON p.id = o.plan_id WHERE o.id = instances.order_id AND p.category = 'vps'
  );
`,
  /**
   * Version 14: a claim changes one index instead of three. The index that allows one open operation per instance no
   * longer depends on the status, and what is queued and what is leased falls due in one order.
   */
  () => `
UPDATE tasks SET finished_at = created_at WHERE finished_at IS NULL AND status NOT IN ('queued', 'running');
DROP INDEX tasks_open;
DROP INDEX tasks_queue;
DROP INDEX tasks_leased;
-- At most one open operation per instance: this index is the lock. Audit entries are finished when they are written.
CREATE UNIQUE INDEX tasks_open ON tasks(instance_id) WHERE finished_at IS NULL;
CREATE INDEX tasks_due ON tasks((CASE status WHEN 'queued' THEN run_at ELSE lease_until END))
  WHERE finished_at IS NULL;
`,
  /**
   * Version 15: a suspension has a reason, which the customer sees, and a note, which only operators see. Earlier texts
   * were written for operators.
   */
  ({ text }) => `
ALTER TABLE instances ADD COLUMN suspended_note ${text};
UPDATE instances SET suspended_note = suspended_reason, suspended_reason = 'Contact support.'
  WHERE suspended_reason IS NOT NULL;
`,
  /** Version 16: an instance that is several periods behind is charged for them one at a time, with a pause. */
  ({ integer }) => `
-- The next charge is not made before this moment; null unless the period that was paid last is over already.
ALTER TABLE instances ADD COLUMN renew_after ${integer};
DROP INDEX instances_expiring;
CREATE INDEX instances_ending ON instances((coalesce(renew_after, expires_at)))
  WHERE lifecycle IN ('active', 'suspended') AND expires_at IS NOT NULL;
`,
  /** Version 17: the mode that an instance booted, besides the mode that is set: a reboot between them may be owed. */
  ({ text }) => `
ALTER TABLE instances ADD COLUMN booted ${text} NOT NULL DEFAULT 'disk' CHECK (booted IN ('disk', 'rescue'));
UPDATE instances SET booted = boot_mode WHERE boot_mode <> 'disk';
ALTER TABLE simulated_machines ADD COLUMN booted ${text} NOT NULL DEFAULT 'disk' CHECK (booted IN ('disk', 'rescue'));
UPDATE simulated_machines SET booted = boot_mode WHERE boot_mode <> 'disk';
`,
  /** Version 18: the newest time of the service, and whether it is in doubt. */
  ({ integer, strict, text }) => `
CREATE TABLE service_clock (
  id ${integer} PRIMARY KEY CHECK (id = 1),
  newest ${integer} NOT NULL,
  doubted_since ${integer},
  doubt ${text},
  source_ahead ${integer} NOT NULL,
  confirmations ${integer} NOT NULL,
  CHECK ((doubt IS NULL) = (doubted_since IS NULL))
)${strict};
`,
  /**
   * Version 19: the paid period may begin at the end of a deployment. A failed instance has no period; it leaves the
   * list after 30 days, and its idempotency keys are deleted after 24 hours.
   */
  ({ integer }) => `
-- The anchor of the periods; null is the time of the order.
ALTER TABLE instances ADD COLUMN paid_from ${integer};
DROP INDEX instances_in_grace;
CREATE INDEX instances_in_grace ON instances(grace_until) WHERE lifecycle IN ('expired', 'failed');
UPDATE instances SET auto_renew = 0, expires_at = NULL, grace_until = created_at + 2592000000
  WHERE lifecycle = 'failed';
UPDATE idempotency_keys SET forget_at = created_at + 86400000
  WHERE instance_id IN (SELECT id FROM instances WHERE lifecycle = 'failed');
`,
  /** Version 20: the number of tasks of an instance, which each page of its feed shows, is stored, not counted. */
  ({ counter, integer }) => `
ALTER TABLE instances ADD COLUMN task_count ${integer} NOT NULL DEFAULT 0;
UPDATE instances SET task_count = (SELECT count(*) FROM tasks t WHERE t.instance_id = instances.id);
${counter("instances", "task_count", "tasks", "instance_id")}
`,
  /**
   * Version 21: plans as they were sold, so that a change of the catalogue changes no order. The price of an order is
   * its own. A renewal in the feed has its charge.
   */
  ({ identity, integer, strict, text }) => `
CREATE TABLE sold_plans (
  id ${identity},
  plan_id ${integer} NOT NULL REFERENCES plans(id),
  name ${text} NOT NULL,
  slug ${text} NOT NULL,
  description ${text},
  currency ${text} NOT NULL,
  billing_cycle ${text} NOT NULL,
  category ${text} NOT NULL,
  specs ${text},
  data_centre_id ${integer} NOT NULL REFERENCES data_centres(id),
  auto_deploy ${integer} NOT NULL,
  created_at ${integer} NOT NULL
)${strict};
CREATE INDEX sold_plans_of_plan ON sold_plans(plan_id, id);
INSERT INTO sold_plans (plan_id, name, slug, description, currency, billing_cycle, category, specs, data_centre_id,
    auto_deploy, created_at)
  SELECT id, name, slug, description, currency, billing_cycle, category, specs, data_centre_id, auto_deploy, created_at
  FROM plans WHERE id IN (SELECT plan_id FROM orders) ORDER BY id;
ALTER TABLE orders ADD COLUMN sold_id ${integer} REFERENCES sold_plans(id);
UPDATE orders SET sold_id = (SELECT s.id FROM sold_plans s WHERE s.plan_id = orders.plan_id);
`
]
