/**
 * The functions that programs call, answered by the plugin: each as a promise, and as an output that takes inputs. With
 * an input that is not known in a preview the output is not known either, and nothing is asked.
 */
import type * as pulumi from "@pulumi/pulumi"
import * as runtime from "@pulumi/pulumi/runtime/invoke.js"
import type {
  GetMetricsArgs,
  GetTasksArgs,
  GetWalletArgs,
  Inputs,
  OfInstance,
  OfPlan
} from "../classes/FunctionArgs.ts"
import { listField } from "../functions/ListResults.ts"
import type { FunctionName, Results } from "../functions/Functions.ts"
import { PACKAGE } from "./Register.ts"

type InvokeOptions = pulumi.InvokeOptions
type InvokeOutputOptions = pulumi.InvokeOutputOptions

type Fields = Readonly<Record<string, unknown>>

const unwrapped = <Name extends FunctionName>(name: Name, answer: Fields): Results[Name] => {
  const list = listField(name)
  // The plugin answers what the dynamic host's own call does: the two are tested side by side.
  return (list === undefined ? answer : answer[list]) as Results[Name]
}

const invoke = async <Name extends FunctionName>(
  name: Name,
  args: object,
  opts?: InvokeOptions
): Promise<Results[Name]> =>
  unwrapped(name, await runtime.invoke(`vps:index:${name}`, { ...args }, { ...PACKAGE, ...opts }) as Fields)

const outputOf = <Name extends FunctionName>(
  name: Name,
  args: object,
  opts?: InvokeOutputOptions
): pulumi.Output<Results[Name]> =>
  runtime.invokeOutput<Fields>(`vps:index:${name}`, { ...args }, { ...PACKAGE, ...opts })
    .apply((answer) => unwrapped(name, answer)) as unknown as pulumi.Output<Results[Name]>

/** The plans that can be bought. */
export const getPlans = (opts?: InvokeOptions) => invoke("getPlans", {}, opts)
export const getPlansOutput = (opts?: InvokeOutputOptions) => outputOf("getPlans", {}, opts)

/** The operating systems that a plan can run. */
export const getOsOptions = (args: OfPlan, opts?: InvokeOptions) => invoke("getOsOptions", args, opts)
export const getOsOptionsOutput = (args: Inputs<OfPlan>, opts?: InvokeOutputOptions) =>
  outputOf("getOsOptions", args, opts)

/** One instance, as the service shows it. */
export const getInstance = (args: OfInstance, opts?: InvokeOptions) => invoke("getInstance", args, opts)
export const getInstanceOutput = (args: Inputs<OfInstance>, opts?: InvokeOutputOptions) =>
  outputOf("getInstance", args, opts)

/** All instances of the account, in whatever stack they stand or don't. */
export const getInstances = (opts?: InvokeOptions) => invoke("getInstances", {}, opts)
export const getInstancesOutput = (opts?: InvokeOutputOptions) => outputOf("getInstances", {}, opts)

/** What an instance does now: power, boot mode, open task, snapshots used, newest sample. */
export const getStatus = (args: OfInstance, opts?: InvokeOptions) => invoke("getStatus", args, opts)
export const getStatusOutput = (args: Inputs<OfInstance>, opts?: InvokeOutputOptions) =>
  outputOf("getStatus", args, opts)

/** What an instance used: percent, bytes, and bytes per second. */
export const getMetrics = (args: GetMetricsArgs, opts?: InvokeOptions) => invoke("getMetrics", args, opts)
export const getMetricsOutput = (args: Inputs<GetMetricsArgs>, opts?: InvokeOutputOptions) =>
  outputOf("getMetrics", args, opts)

/** The activity feed of an instance, newest first. */
export const getTasks = (args: GetTasksArgs, opts?: InvokeOptions) => invoke("getTasks", args, opts)
export const getTasksOutput = (args: Inputs<GetTasksArgs>, opts?: InvokeOutputOptions) =>
  outputOf("getTasks", args, opts)

/** The plans that an instance can be resized to, and what a resize now would charge. */
export const getAvailablePlans = (args: OfInstance, opts?: InvokeOptions) => invoke("getAvailablePlans", args, opts)
export const getAvailablePlansOutput = (args: Inputs<OfInstance>, opts?: InvokeOutputOptions) =>
  outputOf("getAvailablePlans", args, opts)

/** The snapshots of an instance. */
export const getSnapshots = (args: OfInstance, opts?: InvokeOptions) => invoke("getSnapshots", args, opts)
export const getSnapshotsOutput = (args: Inputs<OfInstance>, opts?: InvokeOutputOptions) =>
  outputOf("getSnapshots", args, opts)

/** The host's nightly backups of an instance. */
export const getBackups = (args: OfInstance, opts?: InvokeOptions) => invoke("getBackups", args, opts)
export const getBackupsOutput = (args: Inputs<OfInstance>, opts?: InvokeOutputOptions) =>
  outputOf("getBackups", args, opts)

/** The ISO images that an instance can mount. */
export const getIsos = (args: OfInstance, opts?: InvokeOptions) => invoke("getIsos", args, opts)
export const getIsosOutput = (args: Inputs<OfInstance>, opts?: InvokeOutputOptions) => outputOf("getIsos", args, opts)

/** Whose the API key is, and what it may do. */
export const getWhoami = (opts?: InvokeOptions) => invoke("getWhoami", {}, opts)
export const getWhoamiOutput = (opts?: InvokeOutputOptions) => outputOf("getWhoami", {}, opts)

/**
 * What the wallet holds, through a dry run of a purchase: nothing is bought. The key needs the scope `vps:create`.
 *
 * @example
 * const { balance, currency } = await getWallet()
 */
export const getWallet = (args: GetWalletArgs = {}, opts?: InvokeOptions) => invoke("getWallet", args, opts)
export const getWalletOutput = (args: Inputs<GetWalletArgs> = {}, opts?: InvokeOutputOptions) =>
  outputOf("getWallet", args, opts)
