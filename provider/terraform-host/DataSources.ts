/** The data sources: what the API returns, by its names. */
import type { Api } from "../api/Api.ts"
import { planOf } from "../api/ByName.ts"
import { explain, UserError } from "../api/Errors.ts"
import { present, type Properties } from "../definition/Properties.ts"
import { installedDetails, orderedDetails } from "../purchase/InstanceDetails.ts"
import { callFunction } from "../functions/Functions.ts"
import type { Instance, PublicPlan } from "@pulumi-vps/sdk/client/Records"
import { RECORDS } from "./Records.ts"
import type { Attribute, State, Type } from "./Schema.ts"

interface DataSource {
  readonly description: string
  readonly attributes: ReadonlyArray<Attribute>
  readonly read: (api: Api, args: Properties) => Promise<State>
}

const computed = (name: string, type: Type, description: string): Attribute => ({
  name,
  type,
  description,
  computed: true
})
const argument = (name: string, type: Type, description: string, required = false): Attribute => ({
  name,
  type,
  description,
  ...(required ? { required } : { optional: true })
})

type Fields = Readonly<Record<string, { readonly type: Type; readonly description: string }>>

const { Backup: BACKUP, Iso: ISO, OsOption: IMAGE, PublicPlan: PLAN, Snapshot: SNAPSHOT } = RECORDS

/** Fields show what the API has in texts of JSON and in the order. */
const INSTANCE = {
  ...RECORDS.Instance,
  hostname: { type: "string", description: "The host name." },
  os: { type: "string", description: "The slug of the operating system." },
  ipv6: { type: "string", description: "The IPv6 address; null when there is none." },
  plan: { type: "string", description: "The plan by its slug." },
  service_id: { type: "number", description: "The id of the plan." }
} as const satisfies Fields

/** The fields of a record that the type has. */
const pick = (fields: Fields, record: object): State =>
  Object.fromEntries(Object.entries(fields).map(([name, { type }]) => [name, conform(type, (record as State)[name])]))

/** An object of the engine has all attributes of its type and no others. */
const conform = (type: Type, value: unknown): unknown => {
  if (value === null || value === undefined || typeof type === "string") return value ?? null
  const [kind, inner] = type
  if (kind === "list") return (value as ReadonlyArray<unknown>).map((one) => conform(inner as Type, one))
  return Object.fromEntries(
    Object.entries(inner).map(([name, one]) => [name, conform(one as Type, (value as State)[name])])
  )
}

const planFields = (plan: PublicPlan): State => pick(PLAN, plan)

const instanceFields = (instance: Instance): State => {
  const [installed, ordered] = [installedDetails(instance), orderedDetails(instance)]
  return pick(INSTANCE, {
    ...instance,
    hostname: installed.hostname ?? ordered.hostname,
    os: installed.os ?? ordered.os,
    ipv6: installed.ipv6,
    plan: instance.order.service.slug,
    service_id: instance.order.service_id
  })
}

const fieldsAsAttributes = (fields: Fields, without: string) =>
  Object.entries(fields).filter(([name]) => name !== without)
    .map(([name, { description, type }]) => computed(name, type, description))

/** A list of records. */
const list = (name: string, fields: Fields, description: string): Attribute =>
  computed(name, ["list", ["object", typesOf(fields)]], `${description} Each has ${namesOf(fields)}.`)

const typesOf = (fields: Fields) => Object.fromEntries(Object.entries(fields).map(([name, { type }]) => [name, type]))
const namesOf = (fields: Fields): string => Object.keys(fields).map((name) => `\`${name}\``).join(", ")

const INSTANCE_ID = argument("instance_id", "string", "The instance.", true)

/** A list of records that belong to one instance. */
const ofInstance = (
  name: string,
  fields: Fields,
  description: string,
  text: string,
  load: (api: Api, id: number) => Promise<ReadonlyArray<object> | undefined>
): DataSource => ({
  description,
  attributes: [INSTANCE_ID, list(name, fields, text)],
  read: async (api, { instance_id: id }) => {
    const found = await load(api, Number(id))
    if (found === undefined) throw new UserError(`this host returns no list of ${name} that can be read`)
    return { instance_id: id, [name]: found.map((one) => pick(fields, one)) }
  }
})

export const DATA_SOURCES: Readonly<Record<string, DataSource>> = {
  vps_plans: {
    description: "Lists the plans that can be bought.",
    attributes: [list("plans", PLAN, "The plans.")],
    read: async (api) => ({ plans: (await api.services()).map(planFields) })
  },
  vps_plan: {
    description: "Gets a plan that can be bought, by its slug.",
    attributes: [
      argument("slug", "string", "The slug, such as \"vps-s\".", true),
      ...fieldsAsAttributes(PLAN, "slug")
    ],
    read: async (api, { slug }) => planFields(planOf(String(slug), await api.services()))
  },
  vps_images: {
    description: "Lists the operating systems that a plan can run.",
    attributes: [
      argument("plan", "string", "The plan by its slug.", true),
      list("images", IMAGE, "The images; `slug` is a value for `os`.")
    ],
    read: async (api, { plan }) => {
      const { os_options: images = [] } = await api.osOptions(planOf(String(plan), await api.services()).id)
      return { plan, images: images.map((one) => pick(IMAGE, one)) }
    }
  },
  vps_instance: {
    description: "Gets an instance by its id or by its host name.",
    attributes: [
      argument("instance_id", "string", "The instance."),
      { ...argument("hostname", "string", "Its host name, instead of its id."), computed: true },
      ...fieldsAsAttributes(INSTANCE, "hostname")
    ],
    read: async (api, { hostname, instance_id: id }) => {
      const args = present({ hostname, instanceId: id })
      const found = await callFunction(api, "getInstance", args) as { readonly id: number }
      return { instance_id: id ?? null, ...instanceFields(await api.get(found.id)) }
    }
  },
  vps_instances: {
    description: "Lists all instances of the account, whether this configuration manages them or not.",
    attributes: [list("instances", INSTANCE, "The instances.")],
    read: async (api) => ({ instances: (await api.list()).map(instanceFields) })
  },
  vps_snapshots: ofInstance(
    "snapshots",
    SNAPSHOT,
    "Lists the snapshots of an instance.",
    "The snapshots.",
    (api, id) => api.snapshots(id)
  ),
  vps_backups: ofInstance(
    "backups",
    BACKUP,
    "Lists the nightly backups of an instance.",
    "The backups; `id` is a value for `backup_id`.",
    (api, id) => api.backups(id)
  ),
  vps_isos: ofInstance(
    "isos",
    ISO,
    "Lists the ISO images that an instance can mount.",
    "The images.",
    (api, id) => api.isos(id)
  ),
  vps_account: {
    description: "Gets the account of the API key and, where the key may buy, the balance of its wallet.",
    attributes: [
      ...fieldsAsAttributes(RECORDS.Whoami, ""),
      computed("scopes", ["list", "string"], "The scopes in force."),
      computed("balance", "number", "The balance of the wallet; null without the scope vps:create."),
      computed("currency", "string", "The currency of the balance.")
    ],
    read: async (api) => {
      const { key, ...account } = await api.whoami()
      const wallet = await callFunction(api, "getWallet", {}).catch(() => ({})) as Properties
      const { balance = null, currency = null } = wallet
      return { ...pick(RECORDS.Whoami, account), scopes: key?.effective_scopes ?? null, balance, currency }
    }
  }
}

/** @throws UserError that names the data source. */
export const readDataSource = async (api: Api, type: string, args: Properties): Promise<State> => {
  const source = DATA_SOURCES[type]
  if (source === undefined) throw new UserError(`${type} is not a data source of this provider`)
  try {
    return await source.read(api, args)
  } catch (error) {
    throw new UserError(`${type}: ${explain(error).replace(/^get\w+: /, "")}`, error)
  }
}
