/**
 * Version 12: idempotency keys are stored in the order of their instances; only their index is in random order. A
 * create used to change a random page of the widest table.
 */
import type { Migration } from "./Dialect.ts"

export const slimKeys: Migration = ({ integer, strict, text }) => `
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
`
