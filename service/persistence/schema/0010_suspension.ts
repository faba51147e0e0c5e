/** Version 10: the power that a suspended instance comes back to. */
import type { Migration } from "./Dialect.ts"

export const suspension: Migration = ({ text }) => `
ALTER TABLE instances ADD COLUMN suspended_power ${text} CHECK (suspended_power IN ('on', 'off'));
`
