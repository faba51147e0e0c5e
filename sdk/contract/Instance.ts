/** The instance record with its nested order, plan and price, and the bodies and results of its operations. */
import * as Schema from "effect/Schema"
import {
  Amount,
  type Encoded,
  NullableInt,
  NullableString,
  NullableTimestamp,
  openSet,
  optionalSecret,
  optionalText,
  PositiveInt,
  text,
  Timestamp,
  UNSHOWN
} from "./Primitives.ts"

/** The statuses this service uses. The set is open: treat a status you don't know as busy. */
export const INSTANCE_STATUSES = [
  "pending",
  "provisioning",
  "running",
  "stopped",
  "starting",
  "stopping",
  "restarting",
  "reinstalling",
  "resizing",
  "restoring",
  "rescue",
  "suspended",
  "expired",
  "failed",
  "deleted"
] as const
export type InstanceStatusValue = typeof INSTANCE_STATUSES[number]

export const InstanceStatus = openSet(
  INSTANCE_STATUSES,
  `An open set (treat an unknown value as busy): ${INSTANCE_STATUSES.join(", ")}`,
  "running"
)

/** The price as this customer pays it, computed from the gross price and the customer's VAT treatment. */
export const Pricing = Schema.Struct({
  gross: Amount,
  net: Amount,
  vat_rate: Schema.Finite.annotate({ description: "In percent, for example 19" }),
  vat_amount: Amount,
  treatment: openSet(
    ["domestic", "oss", "reverse_charge", "outside_scope", "exempt"],
    "domestic, oss, reverse_charge, outside_scope or exempt"
  ),
  charge_amount: Amount.annotate({ description: "The amount charged to the wallet" }),
  display_amount: Amount.annotate({ description: "The amount shown to the customer" })
}).annotate({ identifier: "Pricing", description: "The price of a plan for this customer, with VAT" })
export interface Pricing extends Encoded<typeof Pricing> {}

export const OrderedService = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  slug: Schema.String,
  description: NullableString,
  price: Amount.annotate({ description: "Gross price per billing cycle" }),
  billing_cycle: Schema.String,
  category: Schema.String,
  specs: NullableString.annotate({ description: "The plan's specs, as JSON text" }),
  is_active: Schema.Boolean,
  out_of_stock: Schema.Boolean,
  auto_deploy: Schema.Boolean,
  created_at: Timestamp,
  pricing: Schema.optionalKey(Schema.NullOr(Pricing))
}).annotate({ identifier: "Service", description: "The plan as it was sold" })

export const Order = Schema.Struct({
  id: Schema.Int,
  user_id: Schema.Int,
  service_id: Schema.Int,
  status: openSet(["paid", "refunded"], "paid or refunded"),
  config: Schema.optionalKey(
    NullableString.annotate({ description: "The ordered configuration, as JSON text without secrets" })
  ),
  created_at: Timestamp,
  paid_at: NullableTimestamp,
  service: OrderedService
}).annotate({ identifier: "Order", description: "The purchase of an instance" })

export const Instance = Schema.Struct({
  id: Schema.Int,
  user_id: Schema.Int,
  order_id: Schema.Int,
  status: InstanceStatus,
  suspended_reason: Schema.optionalKey(NullableString),
  provider_id: Schema.optionalKey(NullableString.annotate({ description: "null until deployment has finished" })),
  ipv4: Schema.optionalKey(NullableString.annotate({ description: "null until deployment has finished" })),
  provider_data: Schema.optionalKey(NullableString.annotate({ description: "JSON text: hostname, os, node, ipv6" })),
  auto_renew: Schema.optionalKey(Schema.Boolean.annotate({ default: true })),
  expires_at: NullableTimestamp,
  renewable_until: Schema.optionalKey(
    NullableTimestamp.annotate({ description: "Until when a top-up renews an expired instance; null otherwise" })
  ),
  created_at: Timestamp,
  order: Order
}).annotate({ identifier: "Instance", description: "An instance, with its order" })
export interface Instance extends Encoded<typeof Instance> {}

export const CreateInstance = Schema.Struct({
  service_id: PositiveInt.annotate({ description: "Plan to deploy, from GET /services" }),
  hostname: optionalText(1, 253, "Host name, RFC 1123; derived from the instance's id by default"),
  os: optionalText(
    1,
    64,
    "Slug of an image, from GET /services/{service_id}/os-options; the plan's default image by default"
  ),
  ssh_pubkey: optionalText(1, 4096, "Public SSH key to install; Linux only"),
  root_password: optionalSecret(8, 20, "Root password; generated and not returned by default"),
  coupon_code: optionalText(1, 64, "Discount coupon for the first period")
}).annotate({ identifier: "CreateInstance", description: "An instance to buy" })
export interface CreateInstance extends Encoded<typeof CreateInstance> {}

export const DryRun = Schema.Struct({
  dry_run: Schema.Boolean,
  would_create: Schema.Boolean,
  service_id: Schema.Int,
  plan_name: Schema.String,
  billing_cycle: Schema.String,
  charge_amount: Amount,
  discount_amount: Amount.annotate({ description: "Discount from the coupon, if any" }),
  currency: Schema.String,
  wallet_balance: Amount,
  sufficient_funds: Schema.Boolean
}).annotate({ identifier: "DryRun", description: "The charge for a create, and whether the wallet covers it" })
export interface DryRun extends Encoded<typeof DryRun> {}

/** The fields of every operation's result. `task_id` is null if there was nothing to do. */
export const actionFields = {
  ok: Schema.Boolean,
  action: Schema.String,
  status: InstanceStatus,
  task_id: NullableInt.annotate({ description: "null if there was nothing to do" })
}
export const ActionResult = Schema.Struct(actionFields).annotate({
  identifier: "ActionResult",
  ...UNSHOWN,
  description: "The result of a change: the status now, and the task that does the work"
})
export interface ActionResult extends Encoded<typeof ActionResult> {}

export const Hostname = Schema.Struct({
  hostname: text(1, 253).annotate({ description: "Host name, RFC 1123. Its last label is not a number" })
}).annotate({ identifier: "Hostname", description: "The new host name of an instance" })
export const HostnameResult = Schema.Struct({ ...actionFields, hostname: Schema.String })
  .annotate({ identifier: "HostnameResult", ...UNSHOWN, description: "The result of a change of the host name" })
export interface HostnameResult extends Encoded<typeof HostnameResult> {}

export const Rdns = Schema.Struct({
  ip: text(3, 45).annotate({ description: "An address of the instance, IPv4 or IPv6" }),
  ptr: text(1, 253).annotate({ description: "The host name that the address resolves to" })
}).annotate({ identifier: "Rdns", description: "A reverse DNS (PTR) record to set" })
export const RdnsResult = Schema.Struct({ ...actionFields, ip: Schema.String, ptr: Schema.String })
  .annotate({ identifier: "RdnsResult", ...UNSHOWN, description: "The result of a change of reverse DNS" })
export interface RdnsResult extends Encoded<typeof RdnsResult> {}

export const Reinstall = Schema.Struct({
  os: text(1, 64).annotate({ description: "Slug of an image that the plan can run" }),
  os_id: Schema.optionalKey(
    Schema.NullOr(PositiveInt).annotate({ description: "The image's `os_id`; must match `os`" })
  ),
  password: optionalSecret(8, 128, "Root password of the new system; generated and not returned by default"),
  ssh_pubkey: optionalText(1, 4096, "Public SSH key to install; Linux only")
}).annotate({ identifier: "Reinstall", description: "The system to install" })
export interface Reinstall extends Encoded<typeof Reinstall> {}

export const Resize = Schema.Struct({
  service_id: PositiveInt.annotate({ description: "The new plan, from GET /instances/{instance_id}/available-plans" })
}).annotate({ identifier: "Resize", description: "The plan to change to" })
export interface Resize extends Encoded<typeof Resize> {}
export const ResizeResult = Schema.Struct({ ...actionFields, charge_amount: Amount, currency: Schema.String })
  .annotate({ identifier: "ResizeResult", ...UNSHOWN, description: "The result of a resize, with its charge" })
export interface ResizeResult extends Encoded<typeof ResizeResult> {}

export const ResetPasswordResult = Schema.Struct({
  ok: Schema.Boolean,
  action: Schema.String.annotate({ description: "reset_password" }),
  provider_id: Schema.String,
  password: Schema.String.annotate({ description: "The new root password; it cannot be retrieved again" }),
  show_once: Schema.Boolean
}).annotate({ identifier: "ResetPasswordResult", description: "The new root password, which is shown once" })
export interface ResetPasswordResult extends Encoded<typeof ResetPasswordResult> {}
