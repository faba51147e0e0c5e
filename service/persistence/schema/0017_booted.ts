/** Version 17: the mode that an instance booted, besides the mode that is set: a reboot between them may be owed. */
import type { Migration } from "./Dialect.ts"

export const booted: Migration = ({ text }) => `
ALTER TABLE instances ADD COLUMN booted ${text} NOT NULL DEFAULT 'disk' CHECK (booted IN ('disk', 'rescue'));
UPDATE instances SET booted = boot_mode WHERE boot_mode <> 'disk';
ALTER TABLE simulated_machines ADD COLUMN booted ${text} NOT NULL DEFAULT 'disk' CHECK (booted IN ('disk', 'rescue'));
UPDATE simulated_machines SET booted = boot_mode WHERE boot_mode <> 'disk';
`
