/** Version 10: the power that a suspended instance comes back to. */
export const suspension = `
ALTER TABLE instances ADD COLUMN suspended_power TEXT CHECK (suspended_power IN ('on', 'off'));
`
