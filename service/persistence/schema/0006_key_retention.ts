/** Version 6: idempotency keys expire some time after their instance; null while it exists. */
import type { Migration } from "./Dialect.ts"

export const keyRetention: Migration = ({ integer }) => `
ALTER TABLE idempotency_keys ADD COLUMN forget_at ${integer};
CREATE INDEX idempotency_keys_of_instance ON idempotency_keys(instance_id);
CREATE INDEX idempotency_keys_to_forget ON idempotency_keys(forget_at) WHERE forget_at IS NOT NULL;
`
