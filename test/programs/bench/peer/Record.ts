/** The peer's wire record: the SQL row it is made of, the JSON made from it, and the schema Fastify writes it with. */

const SELECT = `SELECT i.id, i.account_id, i.order_id, i.lifecycle, i.power, i.boot_mode, t.status task_status,
    i.suspended_reason, i.provider_id, i.ipv4, i.provider_data, i.auto_renew, i.expires_at, i.created_at,
    o.status o_status, o.config, o.created_at o_created_at, o.paid_at,
    p.id p_id, p.name, p.slug, p.description, p.price, p.billing_cycle, p.category, p.specs,
    p.is_active, p.out_of_stock, p.auto_deploy, p.created_at p_created_at, a.vat_treatment, a.vat_rate
  FROM instances i
  JOIN orders o ON o.id = i.order_id
  JOIN plans p ON p.id = o.plan_id
  JOIN accounts a ON a.id = i.account_id
  LEFT JOIN tasks t ON t.instance_id = i.id AND t.finished_at IS NULL`

export const SHOW = `${SELECT} WHERE i.id = ? AND i.account_id = ?`
export const LIST = `${SELECT} WHERE i.account_id = ? AND i.lifecycle <> 'deleted' ORDER BY i.id`

type Text = string | null
export interface Row {
  readonly [column: string]: number | Text
}

const time = (at: number | Text): Text => at === null ? null : new Date(at as number).toISOString()

const status = (row: Row): string => {
  if (row["lifecycle"] === "pending") return row["task_status"] === "running" ? "provisioning" : "pending"
  if (row["lifecycle"] !== "active") return row["lifecycle"] as string
  if (row["power"] === "off") return "stopped"
  return row["boot_mode"] === "rescue" ? "rescue" : "running"
}

/** VAT contained in a gross price of a domestic customer, rounded half up; minor units and basis points. */
export const vatWithin = (gross: number, rate: number): number =>
  Math.floor((2 * gross * rate + 10_000 + rate) / (2 * (10_000 + rate)))

const pricing = (row: Row) => {
  const gross = row["price"] as number
  const rate = row["vat_rate"] as number
  const vat = vatWithin(gross, rate)
  return {
    gross: gross / 100,
    net: (gross - vat) / 100,
    vat_rate: rate / 100,
    vat_amount: vat / 100,
    treatment: row["vat_treatment"],
    charge_amount: gross / 100,
    display_amount: gross / 100
  }
}

const plan = (row: Row) => ({
  id: row["p_id"],
  name: row["name"],
  slug: row["slug"],
  description: row["description"],
  price: (row["price"] as number) / 100,
  billing_cycle: row["billing_cycle"],
  category: row["category"],
  specs: row["specs"],
  is_active: row["is_active"] === 1,
  out_of_stock: row["out_of_stock"] === 1,
  auto_deploy: row["auto_deploy"] === 1,
  created_at: time(row["p_created_at"]!),
  pricing: pricing(row)
})

export const toInstance = (row: Row) => ({
  id: row["id"],
  user_id: row["account_id"],
  order_id: row["order_id"],
  status: status(row),
  suspended_reason: row["suspended_reason"],
  provider_id: row["provider_id"],
  ipv4: row["ipv4"],
  provider_data: row["provider_data"],
  auto_renew: row["auto_renew"] === 1,
  expires_at: time(row["expires_at"]!),
  renewable_until: null,
  created_at: time(row["created_at"]!),
  order: {
    id: row["order_id"],
    user_id: row["account_id"],
    service_id: row["p_id"],
    status: row["o_status"],
    config: row["config"],
    created_at: time(row["o_created_at"]!),
    paid_at: time(row["paid_at"]!),
    service: plan(row)
  }
})

/** Properties of one type, named in one text. */
const all = (type: string | Array<string>, names: string) =>
  Object.fromEntries(names.split(" ").map((name) => [name, { type }]))
const maybe = ["string", "null"]
const object = (properties: Record<string, object>) => ({ type: "object", properties })

const Pricing = object({
  ...all("number", "gross net vat_rate vat_amount charge_amount display_amount"),
  ...all("string", "treatment")
})
const Plan = object({
  ...all("integer", "id"),
  ...all("number", "price"),
  ...all("string", "name slug billing_cycle category created_at"),
  ...all("boolean", "is_active out_of_stock auto_deploy"),
  ...all(maybe, "description specs"),
  pricing: Pricing
})
const Order = object({
  ...all("integer", "id user_id service_id"),
  ...all("string", "status created_at"),
  ...all(maybe, "config paid_at"),
  service: Plan
})

export const InstanceSchema = object({
  ...all("integer", "id user_id order_id"),
  ...all("string", "status created_at"),
  ...all("boolean", "auto_renew"),
  ...all(maybe, "suspended_reason provider_id ipv4 provider_data expires_at renewable_until"),
  order: Order
})

const text = (minLength: number, maxLength: number) => ({ type: ["string", "null"], minLength, maxLength })

export const CreateSchema = {
  type: "object",
  required: ["service_id"],
  additionalProperties: false,
  properties: {
    service_id: { type: "integer", exclusiveMinimum: 0 },
    hostname: text(1, 253),
    os: text(1, 64),
    ssh_pubkey: text(1, 4096),
    root_password: text(8, 20),
    coupon_code: text(1, 64)
  }
}

/** A body that has passed `CreateSchema`. */
export interface Create {
  readonly service_id: number
  readonly hostname?: Text
  readonly os?: Text
  readonly ssh_pubkey?: Text
}
