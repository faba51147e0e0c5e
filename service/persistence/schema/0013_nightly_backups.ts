/**
 * Version 13: nightly backups also for machines that were deployed before version 8. Each gets the time of its next
 * backup as `domain/Night.ts` computes it for later ones: from 02:00 UTC on, spread over two hours.
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
