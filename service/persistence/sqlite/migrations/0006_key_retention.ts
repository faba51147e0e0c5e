/** Version 6: idempotency keys go some time after their instance; null while it is there. */
export const keyRetention = `
ALTER TABLE idempotency_keys ADD COLUMN forget_at INTEGER;
CREATE INDEX idempotency_keys_of_instance ON idempotency_keys(instance_id);
CREATE INDEX idempotency_keys_to_forget ON idempotency_keys(forget_at) WHERE forget_at IS NOT NULL;
`
