/** The functions: the one table of their names, arguments and results. */
import type {
  AvailablePlan,
  Backup,
  Instance,
  Iso,
  LiveStatus,
  Metrics,
  MetricsRange,
  OsOption,
  OsOptions,
  PublicPlan,
  Snapshot,
  TaskPage,
  Whoami
} from "@pulumi-vps/sdk/client/Records"
import { rawOf, type View } from "@pulumi-vps/sdk/client/host/View"
import { didYouMean } from "@pulumi-vps/sdk/Suggestions"
import type { Api } from "../api/Api.ts"
import { imageOf, planOf } from "../api/ByName.ts"
import { explain, isEnded, UserError } from "../api/Errors.ts"
import { type Input, instanceId, integer, oneOf, text } from "../definition/Definition.ts"
import { present, type Properties } from "../definition/Properties.ts"
import { installedDetails, orderedDetails, sameHostname } from "../purchase/InstanceDetails.ts"

/** Converts the API's snake_case to Pulumi's camelCase, for whole responses. */

type Name<Text> = Text extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Name<Tail> & string>}` : Text

/** The type of a response with its names in camelCase, at every depth. */
export type CamelCase<A> = A extends string ? A
  : A extends ReadonlyArray<infer Item> ? ReadonlyArray<CamelCase<Item>>
  : A extends object ? { readonly [Key in keyof A as Name<Key>]: CamelCase<A[Key]> }
  : A

const name = (text: string): string => text.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())

const convert = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(convert)
  if (value === null || typeof value !== "object") return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [name(key), convert(inner)]))
}

/**
 * The response as it is, in the types of the documented service: a program gets all of it, as from the SDK.
 * @throws UserError for a list of a shape in which none is found.
 */
const whole = <A>(what: string, answer: View<A> | ReadonlyArray<View<unknown>> | undefined): A => {
  if (answer === undefined) throw new UserError(`this host returns no list of ${what} that can be read`)
  return rawOf(answer) as A
}

/** `{service_id: 1}` becomes `{serviceId: 1}`; values are unchanged. */
export const camelCase = <A>(answer: A): CamelCase<A> => convert(answer) as CamelCase<A>

export interface WalletResult {
  /** In units of `currency`. */
  readonly balance: number
  readonly currency: string
}

/** The result of each function. */
export interface Results {
  readonly getPlans: CamelCase<ReadonlyArray<PublicPlan>>
  readonly getPlan: CamelCase<PublicPlan>
  readonly getOsOptions: CamelCase<Required<OsOptions>>
  readonly getImage: CamelCase<OsOption>
  readonly getInstance: CamelCase<Instance>
  readonly getInstances: CamelCase<ReadonlyArray<Instance>>
  readonly getStatus: CamelCase<LiveStatus>
  readonly getMetrics: CamelCase<Metrics>
  readonly getTasks: CamelCase<TaskPage>
  readonly getAvailablePlans: CamelCase<ReadonlyArray<AvailablePlan>>
  readonly getSnapshots: CamelCase<ReadonlyArray<Snapshot>>
  readonly getBackups: CamelCase<ReadonlyArray<Backup>>
  readonly getIsos: CamelCase<ReadonlyArray<Iso>>
  readonly getWhoami: CamelCase<Whoami>
  readonly getWallet: WalletResult
}
export type FunctionName = keyof Results

/** An input of a function, which has no state that could change. */
type Argument = Omit<Input, "change" | "effect" | "secret">

export interface FunctionDefinition<Result = unknown> {
  readonly description: string
  readonly inputs: Readonly<Record<string, Argument>>
  /** The result, for the documentation. */
  readonly result: string
  /** `args` are valid. */
  readonly call: (api: Api, args: Properties) => Promise<Result>
}

/** Not taken from the contract, whose schemas would then be loaded in every phase of every run. */
const METRICS_RANGES: ReadonlyArray<MetricsRange> = ["1h", "6h", "24h", "7d", "30d"]

const INSTANCE_ID: Argument = {
  type: instanceId,
  description: "The instance.",
  required: "the id of an instance, such as instance.id"
}

/** A function of one instance. */
const ofInstance = <Result>(
  description: string,
  result: string,
  call: (api: Api, id: number, args: Properties) => Promise<Result>,
  inputs: FunctionDefinition["inputs"] = {}
): FunctionDefinition<Result> => ({
  description,
  inputs: { instanceId: INSTANCE_ID, ...inputs },
  result,
  call: (api, args) => call(api, Number(args["instanceId"]), args)
})

/** @throws UserError when no instance, or more than one, has the host name. */
const instanceOf = (hostname: string, instances: ReadonlyArray<Instance>): Instance => {
  const hostnameOf = (one: Instance) => installedDetails(one).hostname ?? orderedDetails(one).hostname
  const current = instances.filter(({ status }) => !isEnded(status))
  const named = current.filter((one) => sameHostname(hostnameOf(one), hostname))
  if (named.length === 1) return named[0]!
  throw new UserError(
    named.length === 0
      ? `no instance has the host name ${hostname}. ${
        didYouMean(hostname, current.flatMap((one) => hostnameOf(one) ?? []))
      }`
      : `instances ${named.map(({ id }) => id).join(", ")} have the host name ${hostname}. Use the id of one of them`
  )
}

const PLAN: FunctionDefinition["inputs"] = {
  serviceId: { type: integer(1), description: "The plan." },
  plan: { type: text(1, 64), description: "The plan by its slug, such as \"vps-s\", instead of `serviceId`." }
}

/** The images of the plan in the arguments. @throws UserError unless they have either its id or its slug. */
const imagesOf = async (api: Api, { plan, serviceId }: Properties): Promise<OsOptions> => {
  if ((plan === undefined) === (serviceId === undefined)) throw new UserError("pass either plan or serviceId")
  const id = plan === undefined ? Number(serviceId) : planOf(String(plan), await api.services()).id
  return await api.osOptions(id)
}

/** The API shows the balance only in the answer to a dry run. */
const wallet = async (api: Api, { serviceId }: Properties): Promise<WalletResult> => {
  const plan = serviceId ?? (await api.services()).toSorted((a, b) => a.price - b.price)[0]?.id
  if (plan === undefined) throw new UserError("the balance is not available: there is no plan to request the price of")
  const { currency, wallet_balance } = await api.dryRun({ service_id: Number(plan) })
  return { balance: wallet_balance, currency }
}

export const FUNCTIONS: { readonly [Name in FunctionName]: FunctionDefinition<Results[Name]> } = {
  getPlans: {
    description: "Lists the plans that can be bought.",
    inputs: {},
    result: "a list: `id` (the `serviceId`), `slug` (the `plan`), `name`, `price`, `billingCycle`, `category`, `specs`",
    call: async (api) => camelCase(await api.services())
  },
  getPlan: {
    description: "Gets a plan that can be bought, by its slug.",
    inputs: {
      slug: { type: text(1, 64), description: "The slug.", required: "the slug of a plan, such as \"vps-s\"" }
    },
    result: "what `getPlans` returns of each plan",
    call: async (api, { slug }) => camelCase(planOf(String(slug), await api.services()))
  },
  getOsOptions: {
    description: "Lists the operating systems that a plan can run.",
    inputs: PLAN,
    result: "`locationLabel` and `osOptions`, whose `slug` is a value for `os`",
    call: async (api, args) => {
      const { location_label = "", os_options = [] } = await imagesOf(api, args)
      return camelCase({ location_label, os_options })
    }
  },
  getImage: {
    description: "Gets an operating system that a plan can run, by its slug.",
    inputs: {
      slug: { type: text(1, 64), description: "The slug.", required: "the slug of an image, such as \"debian-13\"" },
      ...PLAN
    },
    result: "`slug` (a value for `os`), `label`, `version`, `osId`",
    call: async (api, args) => camelCase(imageOf(String(args["slug"]), await imagesOf(api, args)))
  },
  getInstance: {
    description: "Gets an instance by its id or by its host name.",
    inputs: {
      instanceId: { type: instanceId, description: "The instance." },
      hostname: { type: text(1, 253), description: "Its host name, instead of its id; no other instance may have it." }
    },
    result: "`id`, `status`, `ipv4`, `expiresAt`, `order.service`, ...",
    call: async (api, { hostname, instanceId }) => {
      if ((hostname === undefined) === (instanceId === undefined)) {
        throw new UserError("pass either instanceId or hostname")
      }
      return camelCase(
        hostname === undefined ? await api.get(Number(instanceId)) : instanceOf(String(hostname), await api.list())
      )
    }
  },
  getInstances: {
    description: "Lists all instances of the account, whether a stack manages them or not.",
    inputs: {},
    result: "a list of what `getInstance` returns",
    call: async (api) => camelCase(await api.list())
  },
  getStatus: ofInstance(
    "Gets the live status of an instance.",
    "`power`, `bootMode`, `isoId`, `task` (the open one), `snapshots` (`used`, `quota`; null for dedicated "
      + "ones), `uptimeSeconds`, `sample`",
    async (api, id) => camelCase(whole<LiveStatus>("statuses", await api.status(id)))
  ),
  getMetrics: ofInstance(
    "Gets the resource usage of an instance, in samples of 10 s (1h) to 6 h (30d).",
    "`range`, `stepSeconds` and `samples`: percent, bytes, and bytes per second",
    async (api, id, { range }) =>
      camelCase(whole<Metrics>("samples", await api.metrics(id, range as MetricsRange | undefined))),
    { range: { type: oneOf(METRICS_RANGES), description: "The period until now.", default: "\"1h\"" } }
  ),
  getTasks: ofInstance(
    "Lists the activity feed of an instance, newest first.",
    "`items` (`type`, `status`, `progress`, `error`, ...), `total`, `limit`, `offset`",
    async (api, id, { limit, offset }) =>
      camelCase(whole<TaskPage>("tasks", await api.tasks(id, present({ limit, offset })))),
    {
      limit: { type: integer(1), description: "Maximum number of tasks, up to 100.", default: "20" },
      offset: { type: integer(0), description: "Number of the newest tasks to skip.", default: "0" }
    }
  ),
  getAvailablePlans: ofInstance(
    "Lists the plans that an instance can be resized to, with the charge for resizing now.",
    "a list: `id`, `name`, `price`, `direction`, `chargeAmount`, `currency`",
    async (api, id) => camelCase(whole<ReadonlyArray<AvailablePlan>>("available plans", await api.availablePlans(id)))
  ),
  getSnapshots: ofInstance(
    "Lists the snapshots of an instance.",
    "a list: `id` (the `snapshotId`), `name`, `status`, `sizeBytes`, `createdAt`",
    async (api, id) => camelCase(whole<ReadonlyArray<Snapshot>>("snapshots", await api.snapshots(id)))
  ),
  getBackups: ofInstance(
    "Lists the nightly backups of an instance.",
    "a list: `id` (the `backupId`), `status`, `sizeBytes`, `createdAt`, `expiresAt`",
    async (api, id) => camelCase(whole<ReadonlyArray<Backup>>("backups", await api.backups(id)))
  ),
  getIsos: ofInstance(
    "Lists the ISO images that an instance can mount.",
    "a list: `id` (the `isoId`), `name`, `fileName`, `sizeBytes`, `mounted`",
    async (api, id) => camelCase(whole<ReadonlyArray<Iso>>("ISO images", await api.isos(id)))
  ),
  getWhoami: {
    description: "Gets the account and the permissions of the API key.",
    inputs: {},
    result: "`accountId`, `email`, `key` (`name`, `scopes`, `effectiveScopes`, `expiresAt`, ...)",
    call: async (api) => camelCase(whole<Whoami>("accounts", await api.whoami()))
  },
  getWallet: {
    description:
      "Gets the balance of the wallet, by a dry run of a purchase: nothing is bought. The key needs `vps:create`.",
    inputs: {
      serviceId: { type: integer(1), description: "The plan to request the price of.", default: "the cheapest plan" }
    },
    result: "`balance` (in units of `currency`) and `currency`",
    call: wallet
  }
}

/**
 * Calls a function by its name.
 * @throws UserError that names the function, for an invalid argument and for an error of the API.
 */
export const callFunction = async (api: Api, name: FunctionName, args: Properties): Promise<unknown> => {
  try {
    return await validateAndCall(api, name, args)
  } catch (error) {
    const text = explain(error)
    throw new UserError(text.startsWith(`${name}:`) ? text : `${name}: ${text}`, error)
  }
}

const validateAndCall = async (api: Api, name: FunctionName, args: Properties): Promise<unknown> => {
  const { call, inputs } = FUNCTIONS[name]
  const values = present(args)
  for (const [input, { type, required }] of Object.entries(inputs)) {
    const value = values[input]
    if (value === undefined && required !== undefined) throw new UserError(`${name}: ${input} is missing: ${required}`)
    const problem = value === undefined ? undefined : type.problem(value)
    if (problem !== undefined) throw new UserError(`${name}: ${input} ${problem}`)
  }
  const unknown = Object.keys(values).find((input) => inputs[input] === undefined)
  if (unknown !== undefined) throw new UserError(`${name}: ${unknown} is not an argument of this function`)
  return await call(api, values)
}

// Functions that return a list: a plugin's result is an object, and this is the field with the list.

const LISTS: Partial<Record<FunctionName, string>> = {
  getPlans: "plans",
  getInstances: "instances",
  getAvailablePlans: "plans",
  getSnapshots: "snapshots",
  getBackups: "backups",
  getIsos: "isos"
}

/** Undefined: the result is an object already. */
export const listField = (name: FunctionName): string | undefined => LISTS[name]
