/**
 * Finds instances that are paid for but in no stack, so that no stack will ever stop them, and writes the report. Pure:
 * `States.ts` loads the states.
 */
import type { Instance } from "@pulumi-vps/sdk/client/Records"
import { isEnded, UserError } from "../api/Errors.ts"
import { installedDetails, orderedDetails } from "../purchase/InstanceDetails.ts"
import { purchaseKeyDigest } from "../purchase/PurchaseKey.ts"
import { nameOf } from "../definition/Properties.ts"
import { formatAmount } from "../purchase/Money.ts"
import { autoRenewAdvice } from "../purchase/AutoRenewAdvice.ts"

type Json = Readonly<Record<string, unknown>>

/** The types of an Instance in a state: of the dynamic provider, and of the plugin. */
const INSTANCE_TYPES = new Set(["pulumi-nodejs:dynamic/vps:Instance", "vps:index:Instance"])

/** An instance in a state. */
export interface HeldInstance {
  readonly urn: string
  readonly id: number
  readonly user_id: number | undefined
  /** Outputs that the deletion of an instance depends on, its host name, and where it is. */
  readonly facts: Json
}

/** The relevant part of a state. */
export interface StackState {
  /** For messages: the name of the file or the stack. */
  readonly source: string
  readonly held: ReadonlyArray<HeldInstance>
  /** Purchases that were started and never completed in the state. */
  readonly pending: ReadonlyArray<{ readonly urn: string; readonly key: string }>
}

/** The stacks that the engine's command shows, which may be more than those of the current project. */
export interface Stacks {
  /** The state of a stack, by its name. */
  readonly read: (stack: string) => Promise<StackState>
  /** The names of those that were updated since this time, in ms since 1970, and hold something. */
  readonly updatedSince: (time: number) => Promise<ReadonlyArray<string>>
}

/** An instance that is paid for and in none of the states. */
export interface Orphan {
  readonly id: number
  readonly hostname: string | null
  readonly status: string
  readonly ipv4: string | null
  readonly plan: string
  readonly service_id: number
  /** Per billing cycle, in units of the wallet's currency. */
  readonly renewal_price: number
  readonly billing_cycle: string
  readonly auto_renew: boolean
  readonly expires_at: string | null
  readonly created_at: string
  /** The resource whose interrupted `pulumi up` bought it; null when no state shows it. */
  readonly bought_by: { readonly urn: string; readonly source: string } | null
}

export interface OrphanReport {
  readonly account_id: number
  /** The names of the states. */
  readonly sources: ReadonlyArray<string>
  readonly orphans: ReadonlyArray<Orphan>
  /** In a state, but no longer in the account. */
  readonly missing: ReadonlyArray<{ readonly id: number; readonly urn: string; readonly source: string }>
  /** In a state, but in another account than the key's, so they cannot be checked. */
  readonly foreign: ReadonlyArray<
    { readonly id: number; readonly urn: string; readonly source: string; readonly user_id: number }
  >
}

const recordAt = (value: unknown, name: string): Json => {
  const inner = value !== null && typeof value === "object" ? (value as Json)[name] : undefined
  return inner !== null && typeof inner === "object" ? inner as Json : {}
}
const listAt = (record: Json, name: string): ReadonlyArray<Json> =>
  Array.isArray(record[name]) ? record[name] as ReadonlyArray<Json> : []

const parse = (source: string, text: string): Json => {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === "object" ? value as Json : {}
  } catch {
    throw new UserError(`${source} is not JSON. Pass the output of \`pulumi stack export\``)
  }
}

/**
 * Reads the output of `pulumi stack export`, or a stack's file of a local backend.
 * @throws UserError when it is neither.
 */
export const readState = (source: string, text: string): StackState => {
  const all = parse(source, text)
  const exported = "deployment" in all
  if (!exported && !("checkpoint" in all)) {
    throw new UserError(`${source} is not an exported stack. Pass the output of \`pulumi stack export\``)
  }
  const deployment = exported ? recordAt(all, "deployment") : recordAt(recordAt(all, "checkpoint"), "latest")
  const instances = listAt(deployment, "resources").filter(({ type }) => INSTANCE_TYPES.has(String(type)))
  const begun = listAt(deployment, "pending_operations").map((operation) => recordAt(operation, "resource"))
  return {
    source,
    held: instances.filter(({ id }) => id !== undefined && id !== "").map((one) => {
      const { __service, deletionPolicy, hostname, purchaseKey, userId } = recordAt(one, "outputs")
      return {
        urn: String(one["urn"]),
        id: Number(one["id"]),
        user_id: typeof userId === "number" ? userId : undefined,
        facts: { __service, deletionPolicy, hostname, purchaseKey }
      }
    }),
    pending: begun.filter(({ type }) => INSTANCE_TYPES.has(String(type))).flatMap((one) => {
      const key = recordAt(one, "inputs")["__purchaseKey"]
      return typeof key === "string" ? [{ urn: String(one["urn"]), key }] : []
    })
  }
}

const describe = (instance: Instance, bought_by: Orphan["bought_by"]): Orphan => {
  const { service } = instance.order
  return {
    id: instance.id,
    hostname: installedDetails(instance).hostname ?? orderedDetails(instance).hostname ?? null,
    status: instance.status,
    ipv4: instance.ipv4 ?? null,
    plan: service.name,
    service_id: instance.order.service_id,
    renewal_price: service.pricing?.charge_amount ?? service.price,
    billing_cycle: service.billing_cycle,
    auto_renew: instance.auto_renew ?? true,
    expires_at: instance.expires_at,
    created_at: instance.created_at,
    bought_by
  }
}

/**
 * Compares states with all instances of the account. Instances that have ended cost nothing and are not orphans.
 *
 * @example
 * const vps = new Vps()
 * const report = findOrphans([readState("prod", exported)], await vps.instances.list(), await vps.account.whoami())
 */
export const findOrphans = (
  states: ReadonlyArray<StackState>,
  instances: ReadonlyArray<Instance>,
  { account_id }: { readonly account_id: number }
): OrphanReport => {
  const held = states.flatMap(({ held, source }) => held.map((one) => ({ ...one, source })))
  const known = new Set(held.map(({ id }) => id))
  const existing = new Set(instances.map(({ id }) => id))
  const buyers = new Map(
    states.flatMap(({ pending, source }) =>
      pending.map(({ key, urn }) => [purchaseKeyDigest(key), { urn, source }] as const)
    )
  )
  const loose = instances.filter(({ id, status }) => !known.has(id) && !isEnded(status))
  return {
    account_id,
    sources: states.map(({ source }) => source),
    orphans: loose.map((one) => describe(one, buyers.get(orderedDetails(one).keyDigest ?? "") ?? null)),
    missing: held.filter(({ id, user_id }) => !existing.has(id) && (user_id ?? account_id) === account_id)
      .map(({ id, source, urn }) => ({ id, urn, source })),
    foreign: held.flatMap(({ id, source, urn, user_id }) =>
      user_id === undefined || user_id === account_id ? [] : [{ id, urn, source, user_id }]
    )
  }
}

// The report as text.

const cost = ({ auto_renew, billing_cycle, expires_at, renewal_price }: Orphan, currency: string | undefined): string =>
  auto_renew
    ? `renews for ${formatAmount(renewal_price, currency)} ${billing_cycle}, next on ${expires_at}`
    : `paid until ${expires_at}, does not renew`

const advice = ({ bought_by, id, service_id }: Orphan, panel: string | undefined): string =>
  bought_by === null
    ? `to manage it: new Instance("...", { serviceId: ${service_id}, adoptInstanceId: ${id} }); `
      + `to end its charges: ${autoRenewAdvice("off", id, panel)}`
    : `bought by an interrupted update of ${
      nameOf(bought_by.urn)
    } (${bought_by.source}): run \`pulumi up\` there to adopt it`

const orphanText = (currency: string | undefined, panel: string | undefined) => (orphan: Orphan): string => {
  const { created_at, hostname, id, ipv4, plan, status } = orphan
  const names = [hostname, ipv4].filter((one) => one !== null).join(", ")
  return `  instance ${id}${names === "" ? "" : ` (${names})`}: ${plan}, ${status}, bought on ${created_at}\n`
    + `    ${cost(orphan, currency)}\n    ${advice(orphan, panel)}\n`
}

const section = (title: string, lines: ReadonlyArray<string>): string =>
  lines.length === 0 ? "" : `${title}\n${lines.join("")}`

/** Plain text, some lines per instance. `panel` is the service's `panel_url`; without it, the text names the host. */
export const describeOrphans = (report: OrphanReport, currency?: string, panel?: string): string => {
  const { account_id, foreign, missing, orphans, sources } = report
  const compared = sources.length === 1 ? sources[0] : `${sources.length} states`
  const [count, verb] = orphans.length === 1 ? ["1 instance", "is"] : [`${orphans.length} instances`, "are"]
  return [
    orphans.length === 0
      ? `Every instance you pay for in account ${account_id} is in ${compared}.\n`
      : section(
        `${count} in account ${account_id} ${verb} not in ${compared}:`,
        orphans.map(orphanText(currency, panel))
      ),
    section(
      "In a state, but no longer in the account (`pulumi refresh` removes them):",
      missing.map(({ id, source, urn }) => `  instance ${id}: ${nameOf(urn)} (${source})\n`)
    ),
    section(
      `In a state, but in another account than ${account_id} (use that account's key to compare them):`,
      foreign.map(({ id, source, urn, user_id }) =>
        `  instance ${id}: ${nameOf(urn)} (${source}), account ${user_id}\n`
      )
    )
  ].join("")
}
