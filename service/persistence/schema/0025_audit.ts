/** Version 25: the audit log. Each entry has the hash of the one before it. */
import type { Migration } from "./Dialect.ts"

export const audit: Migration = ({ integer, refuse, strict, text }) => `
CREATE TABLE audit (
  -- Without gaps: each entry takes the number after the newest, so that two at once cannot both be stored.
  seq ${integer} PRIMARY KEY CHECK (seq > 0),
  at ${integer} NOT NULL,
  actor_kind ${text} NOT NULL CHECK (actor_kind IN ('person', 'command', 'service')),
  person_id ${integer},
  actor ${text} NOT NULL,
  origin ${text} NOT NULL,
  request_id ${text},
  action ${text} NOT NULL,
  account_id ${integer},
  instance_id ${integer},
  details ${text} NOT NULL,
  outcome ${text} NOT NULL CHECK (outcome IN ('done', 'rejected', 'failed')),
  error ${text},
  previous ${text} NOT NULL,
  hash ${text} NOT NULL
)${strict};
CREATE INDEX audit_of_account ON audit(account_id, seq) WHERE account_id IS NOT NULL;
CREATE INDEX audit_of_instance ON audit(instance_id, seq) WHERE instance_id IS NOT NULL;
${refuse("audit_keep_update", "UPDATE ON audit", "the audit log is append-only")}
${refuse("audit_keep_delete", "DELETE ON audit", "the audit log is append-only")}
`
