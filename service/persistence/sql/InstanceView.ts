/** The hot read: one query over five tables, and the wire record made from its row. They change together. */
import type { Instance } from "#contract/Instance"
import { toTimestamp } from "../../domain/Calendar.ts"
import { type BootMode, type Lifecycle, type Power, statusOf } from "../../domain/InstanceStatus.ts"
import { toAmount } from "../../domain/Money.ts"
import { price, toPricing, type Treatment } from "../../domain/Vat.ts"
import type { NewInstance } from "../Instances.ts"

/** Without its WHERE. */
export const SHOWN = `SELECT
    i.id, i.account_id, i.order_id, i.lifecycle, i.power, i.boot_mode, t.type, t.status,
    i.suspended_reason, i.provider_id, i.ipv4, i.provider_data, i.auto_renew, i.expires_at, i.created_at,
    o.status, o.config, o.created_at, o.paid_at,
    p.id, p.name, p.slug, p.description, p.price, p.billing_cycle, p.category, p.specs,
    p.is_active, p.out_of_stock, p.auto_deploy, p.created_at,
    a.vat_treatment, a.vat_rate
  FROM instances i
  JOIN orders o ON o.id = i.order_id
  JOIN plans p ON p.id = o.plan_id
  JOIN accounts a ON a.id = i.account_id
  LEFT JOIN tasks t ON t.instance_id = i.id AND t.kind = 'operation' AND t.status IN ('queued', 'running')`

export type Shown = [
  id: number,
  accountId: number,
  orderId: number,
  lifecycle: Lifecycle,
  power: Power,
  bootMode: BootMode,
  taskType: string | null,
  taskStatus: string | null,
  suspendedReason: string | null,
  providerId: string | null,
  ipv4: string | null,
  providerData: string | null,
  autoRenew: number,
  expiresAt: number | null,
  createdAt: number,
  orderStatus: string,
  config: string,
  orderedAt: number,
  paidAt: number | null,
  planId: number,
  planName: string,
  planSlug: string,
  planDescription: string | null,
  planPrice: number,
  billingCycle: string,
  category: string,
  specs: string | null,
  isActive: number,
  outOfStock: number,
  autoDeploy: number,
  planCreatedAt: number,
  treatment: Treatment,
  vatRate: number
]

/** The row as it stands when the create that wrote it has queued its provision. */
export const freshRow = (id: number, { account, at, config, expiresAt, orderId, plan }: NewInstance): Shown => [
  id,
  account.id,
  orderId,
  "pending",
  "off",
  "disk",
  "provision",
  "queued",
  null,
  null,
  null,
  null,
  1,
  expiresAt,
  at,
  "paid",
  config,
  at,
  at,
  plan.id,
  plan.name,
  plan.slug,
  plan.description,
  plan.price,
  plan.billingCycle,
  plan.category,
  plan.specs,
  Number(plan.isActive),
  Number(plan.outOfStock),
  Number(plan.autoDeploy),
  plan.createdAt,
  account.vat.treatment,
  account.vat.rate
]

const optionalTimestamp = (at: number | null): string | null => at === null ? null : toTimestamp(at)

const toService = (row: Shown): Instance["order"]["service"] => ({
  id: row[19],
  name: row[20],
  slug: row[21],
  description: row[22],
  price: toAmount(row[23]),
  billing_cycle: row[24],
  category: row[25],
  specs: row[26],
  is_active: row[27] === 1,
  out_of_stock: row[28] === 1,
  auto_deploy: row[29] === 1,
  created_at: toTimestamp(row[30]),
  pricing: toPricing(price(row[23], { treatment: row[31], rate: row[32] }))
})

/** The type is the wire's: the compiler checks here what an encoder would check on every answer. */
export const toInstance = (row: Shown): Instance => ({
  id: row[0],
  user_id: row[1],
  order_id: row[2],
  status: statusOf(
    { lifecycle: row[3], power: row[4], bootMode: row[5], task: row[6] ?? undefined },
    row[7] === "running"
  ),
  suspended_reason: row[8],
  provider_id: row[9],
  ipv4: row[10],
  provider_data: row[11],
  auto_renew: row[12] === 1,
  expires_at: optionalTimestamp(row[13]),
  created_at: toTimestamp(row[14]),
  order: {
    id: row[2],
    user_id: row[1],
    service_id: row[19],
    status: row[15],
    config: row[16],
    created_at: toTimestamp(row[17]),
    paid_at: optionalTimestamp(row[18]),
    service: toService(row)
  }
})
