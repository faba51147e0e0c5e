/**
 * Version 13: machines that were deployed before version 8 have nights, too. Each gets its minute of the next night as
 * `domain/Night.ts` has it for those that came later: from 02:00 UTC on, spread over two hours.
 */
import type { Migration } from "./Dialect.ts"

export const nightlyBackups: Migration = ({ epochSeconds }) => `
UPDATE instances
  SET next_backup_at =
    ((${epochSeconds} - 7200 - id * 7 % 120 * 60) / 86400 + 1) * 86400000 + 7200000 + id * 7 % 120 * 60000
  WHERE next_backup_at IS NULL AND lifecycle IN ('active', 'suspended', 'expired') AND EXISTS (
    SELECT 1 FROM orders o JOIN plans p ON p.id = o.plan_id WHERE o.id = instances.order_id AND p.category = 'vps'
  );
`
