/**
 * Version 15: a suspension has a reason, which the customer sees, and a note, which only operators see. Earlier texts
 * were written for operators.
 */
import type { Migration } from "./Dialect.ts"

export const suspensionNote: Migration = ({ text }) => `
ALTER TABLE instances ADD COLUMN suspended_note ${text};
UPDATE instances SET suspended_note = suspended_reason, suspended_reason = 'Contact support.'
  WHERE suspended_reason IS NOT NULL;
`
