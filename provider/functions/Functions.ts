/** The functions: what can be asked without making anything. The one table of their names, inputs and answers. */
import type { Whoami } from "#contract/Account"
import type { Backup } from "#contract/Backups"
import type { Instance } from "#contract/Instance"
import type { Iso } from "#contract/Isos"
import type { LiveStatus, Metrics, MetricsRange, TaskPage } from "#contract/Monitoring"
import type { AvailablePlan, OsOptions, PublicPlan } from "#contract/Services"
import type { Snapshot } from "#contract/Snapshots"
import type { Input, ValueType } from "../definition/Definition.ts"
import { integer, oneOf } from "../definition/ValueTypes.ts"
import type { Api } from "../api/Api.ts"
import { explain, UserError } from "../api/Errors.ts"
import { present, type Properties } from "../definition/Properties.ts"
import { type CamelCase, camelCase } from "./CamelCase.ts"

/** What the wallet holds. */
export interface WalletResult {
  /** In units of `currency`. */
  readonly balance: number
  readonly currency: string
}

/** What each function answers. */
export interface Results {
  readonly getPlans: CamelCase<ReadonlyArray<PublicPlan>>
  readonly getOsOptions: CamelCase<Required<OsOptions>>
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

/** An input of a function: nothing can change here. */
type Argument = Omit<Input, "change" | "effect" | "secret">

export interface FunctionDefinition<Result = unknown> {
  readonly description: string
  readonly inputs: Readonly<Record<string, Argument>>
  /** What it answers, for people. */
  readonly result: string
  /** `args` are judged already. */
  readonly call: (api: Api, args: Properties) => Promise<Result>
}

/** Not taken from the contract: its schemas would have to be loaded in every phase of every run. */
const METRICS_RANGES: ReadonlyArray<MetricsRange> = ["1h", "6h", "24h", "7d", "30d"]

const ID = /^[1-9]\d*$/
const instanceId: Argument = {
  type: {
    text: "id of an instance",
    schema: { type: "string" },
    problem: (value) => ID.test(String(value)) ? undefined : "must be the id of an instance, such as instance.id"
  } satisfies ValueType,
  description: "The instance.",
  required: "the id of an instance, such as instance.id"
}

const of = (args: Properties): number => Number(args["instanceId"])

/** A function of one instance. */
const onInstance = <Result>(
  description: string,
  result: string,
  call: FunctionDefinition<Result>["call"]
): FunctionDefinition<Result> => ({ description, inputs: { instanceId }, result, call })

/** The service shows the wallet only when it is asked what something would cost. */
const wallet = async (api: Api, { serviceId }: Properties): Promise<WalletResult> => {
  const plan = serviceId ?? (await api.services()).toSorted((a, b) => a.price - b.price)[0]?.id
  if (plan === undefined) throw new UserError("the wallet can't be asked for: there is no plan to ask the price of")
  const { currency, wallet_balance } = await api.dryRun({ service_id: Number(plan) })
  return { balance: wallet_balance, currency }
}

const metrics: FunctionDefinition<Results["getMetrics"]> = {
  description: "What it used: samples in steps of 10 s (1h) to 6 h (30d).",
  inputs: {
    instanceId,
    range: { type: oneOf(METRICS_RANGES), description: "How far back.", default: "\"1h\"" }
  },
  result: "`range`, `stepSeconds` and `samples`: percent, bytes, and bytes per second",
  call: async (api, args) => camelCase(await api.metrics(of(args), args["range"] as MetricsRange | undefined))
}

const tasks: FunctionDefinition<Results["getTasks"]> = {
  description: "Its activity feed, newest first.",
  inputs: {
    instanceId,
    limit: { type: integer(1), description: "How many, at most 100.", default: "20" },
    offset: { type: integer(0), description: "How many of the newest to leave out.", default: "0" }
  },
  result: "`items` (`type`, `status`, `progress`, `error`, ...), `total`, `limit`, `offset`",
  call: async (api, args) =>
    camelCase(await api.tasks(of(args), present({ limit: args["limit"], offset: args["offset"] })))
}

const osOptions: FunctionDefinition<Results["getOsOptions"]> = {
  description: "The operating systems that a plan can run.",
  inputs: { serviceId: { type: integer(1), description: "The plan.", required: "the id of a plan" } },
  result: "`locationLabel` and `osOptions`: `slug` is what `os` takes",
  call: async (api, { serviceId }) => {
    const { location_label = "", os_options = [] } = await api.osOptions(Number(serviceId))
    return camelCase({ location_label, os_options })
  }
}

export const FUNCTIONS: { readonly [Name in FunctionName]: FunctionDefinition<Results[Name]> } = {
  getPlans: {
    description: "The plans that can be bought.",
    inputs: {},
    result: "a list: `id` (the `serviceId`), `name`, `price`, `billingCycle`, `category`, `specs`",
    call: async (api) => camelCase(await api.services())
  },
  getOsOptions: osOptions,
  getInstance: onInstance(
    "One instance, as the service shows it.",
    "`status`, `ipv4`, `expiresAt`, `order.service`, ...",
    async (api, args) => camelCase(await api.get(of(args)))
  ),
  getInstances: {
    description: "All instances of the account, in whatever stack they stand or don't.",
    inputs: {},
    result: "a list of what `getInstance` answers",
    call: async (api) => camelCase(await api.list())
  },
  getStatus: onInstance(
    "What it does now.",
    "`power`, `bootMode`, `isoId`, `task` (the open one), `snapshots` (`used`, `quota`), `uptimeSeconds`, `sample`",
    async (api, args) => camelCase(await api.status(of(args)))
  ),
  getMetrics: metrics,
  getTasks: tasks,
  getAvailablePlans: onInstance(
    "The plans that it can be resized to, and what a resize now would charge.",
    "a list: `id`, `name`, `price`, `direction`, `chargeAmount`, `currency`",
    async (api, args) => camelCase(await api.availablePlans(of(args)))
  ),
  getSnapshots: onInstance(
    "Its snapshots.",
    "a list: `id` (the `snapshotId`), `name`, `status`, `sizeBytes`, `createdAt`",
    async (api, args) => camelCase(await api.snapshots(of(args)))
  ),
  getBackups: onInstance(
    "The host's nightly backups of it.",
    "a list: `id` (the `backupId`), `status`, `sizeBytes`, `createdAt`, `expiresAt`",
    async (api, args) => camelCase(await api.backups(of(args)))
  ),
  getIsos: onInstance(
    "The ISO images that it can mount.",
    "a list: `id` (the `isoId`), `name`, `fileName`, `sizeBytes`, `mounted`",
    async (api, args) => camelCase(await api.isos(of(args)))
  ),
  getWhoami: {
    description: "Whose the API key is, and what it may do.",
    inputs: {},
    result: "`accountId`, `email`, `key` (`name`, `scopes`, `effectiveScopes`, `expiresAt`, ...)",
    call: async (api) => camelCase(await api.whoami())
  },
  getWallet: {
    description:
      "What the wallet holds, through a dry run of a purchase: nothing is bought. The key needs `vps:create`.",
    inputs: {
      serviceId: { type: integer(1), description: "The plan to ask the price of.", default: "the cheapest plan" }
    },
    result: "`balance` (in units of `currency`) and `currency`",
    call: wallet
  }
}

/**
 * Calls a function by its name.
 * @throws UserError that names the function: when an argument is wrong, and for what the API answers.
 */
export const callFunction = async (api: Api, name: FunctionName, args: Properties): Promise<unknown> => {
  try {
    return await judgeAndCall(api, name, args)
  } catch (error) {
    const said = explain(error)
    throw new UserError(said.startsWith(`${name}:`) ? said : `${name}: ${said}`, { cause: error })
  }
}

const judgeAndCall = async (api: Api, name: FunctionName, args: Properties): Promise<unknown> => {
  const { call, inputs } = FUNCTIONS[name]
  const given = present(args)
  for (const [input, { type, required }] of Object.entries(inputs)) {
    const value = given[input]
    if (value === undefined && required !== undefined) throw new UserError(`${name}: ${input} is missing: ${required}`)
    const problem = value === undefined ? undefined : type.problem(value)
    if (problem !== undefined) throw new UserError(`${name}: ${input} ${problem}`)
  }
  const unknown = Object.keys(given).find((input) => inputs[input] === undefined)
  if (unknown !== undefined) throw new UserError(`${name}: ${unknown} is not an argument of this function`)
  return await call(api, given)
}
