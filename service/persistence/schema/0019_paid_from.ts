/**
 * Version 19: the paid period may begin at the end of a deployment. A failed instance has no period; it leaves the list
 * after 30 days, and its idempotency keys are deleted after 24 hours.
 */
import type { Migration } from "./Dialect.ts"

export const paidFrom: Migration = ({ integer }) => `
-- The anchor of the periods; null is the time of the order.
ALTER TABLE instances ADD COLUMN paid_from ${integer};
DROP INDEX instances_in_grace;
CREATE INDEX instances_in_grace ON instances(grace_until) WHERE lifecycle IN ('expired', 'failed');
UPDATE instances SET auto_renew = 0, expires_at = NULL, grace_until = created_at + 2592000000
  WHERE lifecycle = 'failed';
UPDATE idempotency_keys SET forget_at = created_at + 86400000
  WHERE instance_id IN (SELECT id FROM instances WHERE lifecycle = 'failed');
`
