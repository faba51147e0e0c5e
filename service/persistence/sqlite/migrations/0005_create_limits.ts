/** Version 5: how often an account may create; null is the service's own limit. Arrival times are GCRA's. */
export const createLimits = `
ALTER TABLE accounts ADD COLUMN creates_per_minute INTEGER CHECK (creates_per_minute > 0);
ALTER TABLE accounts ADD COLUMN creates_per_hour INTEGER CHECK (creates_per_hour > 0);
ALTER TABLE accounts ADD COLUMN create_minute_arrival INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN create_hour_arrival INTEGER NOT NULL DEFAULT 0;
`
