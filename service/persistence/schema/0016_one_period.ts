/** Version 16: an instance that is several periods behind is charged for them one at a time, with a pause. */
import type { Migration } from "./Dialect.ts"

export const onePeriod: Migration = ({ integer }) => `
-- The next charge is not made before this moment; null unless the period that was paid last is over already.
ALTER TABLE instances ADD COLUMN renew_after ${integer};
DROP INDEX instances_expiring;
CREATE INDEX instances_ending ON instances((coalesce(renew_after, expires_at)))
  WHERE lifecycle IN ('active', 'suspended') AND expires_at IS NOT NULL;
`
