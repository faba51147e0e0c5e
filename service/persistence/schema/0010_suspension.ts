/** Version 10: the power of an instance before its suspension, which the end of the suspension restores. */
import type { Migration } from "./Dialect.ts"

export const suspension: Migration = ({ text }) => `
ALTER TABLE instances ADD COLUMN suspended_power ${text} CHECK (suspended_power IN ('on', 'off'));
`
