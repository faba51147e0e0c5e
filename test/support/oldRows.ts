/** Rows as earlier versions of the schema wrote them, as SQL for both databases. */

/** An account that has bought instance 7 under a key; for versions up to 36. */
export const boughtInstance = (digest: string): string => `
  INSERT INTO accounts (id, email, currency, vat_treatment, vat_rate, wallet, created_at)
    VALUES (1, 'a', 'EUR', 'domestic', 1900, 0, 0);
  INSERT INTO api_keys (id, account_id, name, prefix, last4, digest, scopes, created_at)
    VALUES (5, 1, 'k', 'p', 'last', 'd', '[]', 0);
  INSERT INTO data_centres VALUES (1, 'Frankfurt');
  INSERT INTO plans VALUES (1, 'n', 's', NULL, 499, 'EUR', 'monthly', 'vps', NULL, 1, 1, 0, 1, 0);
  INSERT INTO orders (id, account_id, plan_id, status, config, price, charge, created_at)
    VALUES (3, 1, 1, 'paid', '{}', 499, 499, 0);
  INSERT INTO instances (id, account_id, order_id, lifecycle, power, boot_mode, os, auto_renew, created_at)
    VALUES (7, 1, 3, 'active', 'on', 'disk', 'debian-12', 1, 0);
  INSERT INTO idempotency_keys (api_key_id, digest, fingerprint, instance_id, created_at, forget_at)
    VALUES (5, '${digest}', '{"hostname":"0123456789abcdef"}', 7, 11, 12);
`

/** Tasks of instance 7 before version 38, in the order of their ids: type, status, parameters. */
const TASKS = [
  ["terminate", "failed", "{}"],
  ["resize", "failed", "{\"plan_id\":2,\"sold_id\":4,\"price\":9,\"previous_id\":1,\"previous_sold_id\":3}"],
  ["resize", "failed", "{\"plan_id\":1,\"sold_id\":3,\"price\":0,\"previous_id\":2,\"undo\":true}"],
  ["snapshot_create", "failed", "{\"snapshot_id\":5}"],
  ["set_hostname", "failed", "{\"hostname\":\"a.test\"}"],
  ["snapshot_delete", "succeeded", "{\"snapshot_id\":5,\"keep\":true}"],
  ["set_hostname", "succeeded", "{\"hostname\":\"a.test\",\"settle\":true,\"of\":5}"],
  ["rescue_enter", "failed", "{\"settle\":true,\"of\":123}"],
  ["iso_unmount", "failed", "{\"iso_id\":null,\"previous_id\":2,\"undo\":true}"],
  ["provision", "failed", "{\"ssh_pubkey\":\"a ,\\\"undo\\\":true} \\\"settle\\\":true,\\\"of\\\":1}\"}"],
  ["terminate", "succeeded", "{}"]
] as const

export const OLD_TASKS = TASKS.map(([type, status, params], index) =>
  `INSERT INTO tasks (id, instance_id, kind, type, status, progress, actor, params, attempts, run_at, fence, created_at,
     finished_at)
   VALUES (${index + 1}, 7, 'operation', '${type}', '${status}', 0, 'system', '${params}', 1, 0, 1, 5, 5);`
).join("\n")

/** Their purposes, the tasks that they refer to, and their parameters from version 38 on. */
export const NEW_TASKS = [
  ["compensate", null, "{}"],
  ["request", null, TASKS[1][2]],
  ["compensate", 2, "{\"plan_id\":1,\"sold_id\":3,\"price\":0,\"previous_id\":2}"],
  ["request", null, "{\"snapshot_id\":5}"],
  ["request", null, "{\"hostname\":\"a.test\"}"],
  ["compensate", 4, "{\"snapshot_id\":5}"],
  ["settle", 5, "{\"hostname\":\"a.test\"}"],
  ["settle", 123, "{}"],
  ["compensate", null, "{\"iso_id\":null,\"previous_id\":2}"],
  ["request", null, TASKS[9][2]],
  ["compensate", 10, "{}"]
]
