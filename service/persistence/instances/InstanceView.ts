/** The hot read: one query over five tables, and the wire record made from its row. They change together. */
import type { Instance } from "@pulumi-vps/contract/Instance"
import { toOptionalTimestamp, toTimestamp } from "../../domain/Timestamp.ts"
import { type InstanceState, statusOf } from "../../domain/InstanceMachine.ts"
import { type CustomerVat, price, toPricing } from "../../domain/Vat.ts"
import { toAmount } from "../../domain/Money.ts"
import type { Account } from "../Accounts.ts"
import type { Plan } from "../catalogue/Plan.ts"
import { SOLD_PLAN } from "../Catalogue.ts"
import { columns, flag, optional } from "../Columns.ts"
import { JOIN_OPEN_TASK } from "../tasks/Task.ts"

/** An instance that was just paid for, with all that its record shows. */
export interface NewInstance {
  readonly account: Account
  readonly plan: Plan
  readonly orderId: number
  /** The order's; JSON text. */
  readonly config: string
  readonly hostname: string | null
  /** Slug of the image. */
  readonly os: string
  readonly expiresAt: number
  readonly at: number
}

interface View {
  readonly id: number
  readonly accountId: number
  readonly state: InstanceState
  readonly taskStatus: string | null
  readonly suspendedReason: string | null
  readonly providerId: string | null
  readonly ipv4: string | null
  readonly providerData: string | null
  readonly autoRenew: boolean
  readonly expiresAt: number | null
  readonly graceUntil: number | null
  readonly createdAt: number
  readonly order: {
    readonly id: number
    readonly status: string
    readonly config: string
    readonly createdAt: number
    readonly paidAt: number | null
  }
  readonly plan: Plan
  readonly vat: CustomerVat
}

export const VIEW = columns<View>({
  id: "i.id",
  accountId: "i.account_id",
  state: {
    lifecycle: "i.lifecycle",
    power: "i.power",
    bootMode: "i.boot_mode",
    booted: "i.booted",
    task: optional("t.type")
  },
  taskStatus: "t.status",
  suspendedReason: "i.suspended_reason",
  providerId: "i.provider_id",
  ipv4: "i.ipv4",
  providerData: "i.provider_data",
  autoRenew: flag("i.auto_renew"),
  expiresAt: "i.expires_at",
  graceUntil: "i.grace_until",
  createdAt: "i.created_at",
  order: { id: "o.id", status: "o.status", config: "o.config", createdAt: "o.created_at", paidAt: "o.paid_at" },
  // As it was sold, at the order's price; it was active and in stock then.
  plan: {
    ...SOLD_PLAN.definition("s"),
    price: "o.price",
    isActive: flag("1"),
    outOfStock: flag("0")
  },
  vat: { treatment: "a.vat_treatment", rate: "a.vat_rate" }
})

/** Without its WHERE. */
export const VIEWED_INSTANCES = `FROM instances i
  JOIN orders o ON o.id = i.order_id
  JOIN sold_plans s ON s.id = o.sold_id
  JOIN accounts a ON a.id = i.account_id
  ${JOIN_OPEN_TASK}`

/** The view once the create that inserted the instance has queued its provision task. */
export const newView = (id: number, { account, at, config, expiresAt, orderId, plan }: NewInstance): View => ({
  id,
  accountId: account.id,
  state: { lifecycle: "pending", power: "off", bootMode: "disk", booted: "disk", task: "provision" },
  taskStatus: "queued",
  suspendedReason: null,
  providerId: null,
  ipv4: null,
  providerData: null,
  autoRenew: true,
  expiresAt,
  graceUntil: null,
  createdAt: at,
  order: { id: orderId, status: "paid", config, createdAt: at, paidAt: at },
  plan,
  vat: account.vat
})

const toService = ({ plan, vat }: View): Instance["order"]["service"] => ({
  id: plan.id,
  name: plan.name,
  slug: plan.slug,
  description: plan.description,
  price: toAmount(plan.price),
  billing_cycle: plan.billingCycle,
  category: plan.category,
  specs: plan.specs,
  is_active: plan.isActive,
  out_of_stock: plan.outOfStock,
  auto_deploy: plan.autoDeploy,
  created_at: toTimestamp(plan.createdAt),
  pricing: toPricing(price(plan.price, vat))
})

/** Until when a top-up renews it. */
const renewableUntil = ({ autoRenew, graceUntil, state }: View): number | null =>
  state.lifecycle === "expired" && autoRenew ? graceUntil : null

/** The type is the wire's: the compiler checks here what an encoder would check on every answer. */
export const toInstance = (view: View): Instance => ({
  id: view.id,
  user_id: view.accountId,
  order_id: view.order.id,
  status: statusOf(view.state, view.taskStatus === "running"),
  suspended_reason: view.suspendedReason,
  provider_id: view.providerId,
  ipv4: view.ipv4,
  provider_data: view.providerData,
  auto_renew: view.autoRenew,
  expires_at: toOptionalTimestamp(view.expiresAt),
  renewable_until: toOptionalTimestamp(renewableUntil(view)),
  created_at: toTimestamp(view.createdAt),
  order: {
    id: view.order.id,
    user_id: view.accountId,
    service_id: view.plan.id,
    status: view.order.status,
    config: view.order.config,
    created_at: toTimestamp(view.order.createdAt),
    paid_at: toOptionalTimestamp(view.order.paidAt),
    service: toService(view)
  }
})
