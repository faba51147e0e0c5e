/** Version 4: the end of a period. Each index serves one query: the next instance that is due. */
import type { Migration } from "./Dialect.ts"

export const renewal: Migration = ({ integer, text }) => `
-- The power to come back to when an expired instance is renewed.
ALTER TABLE instances ADD COLUMN resume_power ${text} CHECK (resume_power IN ('on', 'off'));
ALTER TABLE instances ADD COLUMN grace_until ${integer};
ALTER TABLE instances ADD COLUMN deleted_at ${integer};
CREATE INDEX instances_expiring ON instances(expires_at) WHERE lifecycle IN ('active', 'suspended');
CREATE INDEX instances_in_grace ON instances(grace_until) WHERE lifecycle = 'expired';
`
