/** Version 4: what happens when a period ends. Each index serves one question: what falls due next. */
export const renewal = `
-- The power to come back to when an expired instance is renewed.
ALTER TABLE instances ADD COLUMN resume_power TEXT CHECK (resume_power IN ('on', 'off'));
ALTER TABLE instances ADD COLUMN grace_until INTEGER;
ALTER TABLE instances ADD COLUMN deleted_at INTEGER;
CREATE INDEX instances_expiring ON instances(expires_at) WHERE lifecycle IN ('active', 'suspended');
CREATE INDEX instances_in_grace ON instances(grace_until) WHERE lifecycle = 'expired';
`
