/** Version 5: rate limits of an account's creates; null is the service's own limit. Arrival times are GCRA's. */
import type { Migration } from "./Dialect.ts"

export const createLimits: Migration = ({ integer }) => `
ALTER TABLE accounts ADD COLUMN creates_per_minute ${integer} CHECK (creates_per_minute > 0);
ALTER TABLE accounts ADD COLUMN creates_per_hour ${integer} CHECK (creates_per_hour > 0);
ALTER TABLE accounts ADD COLUMN create_minute_arrival ${integer} NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN create_hour_arrival ${integer} NOT NULL DEFAULT 0;
`
