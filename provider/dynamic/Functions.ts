/**
 * The functions that programs call: each as a promise, and as an output that takes inputs. With an input that is not
 * known in a preview the output is not known either, and nothing is asked.
 */
import type * as pulumi from "@pulumi/pulumi"
import { Config } from "@pulumi/pulumi/config.js"
import { RunError } from "@pulumi/pulumi/errors.js"
import { output } from "@pulumi/pulumi/output.js"
import type {
  GetMetricsArgs,
  GetTasksArgs,
  GetWalletArgs,
  Inputs,
  OfInstance,
  OfPlan
} from "../classes/FunctionArgs.ts"
import type { FunctionName, Results } from "../functions/Functions.ts"
import type { Properties } from "../definition/Properties.ts"

const invoke = async <Name extends FunctionName>(name: Name, args: object): Promise<Results[Name]> => {
  const config = new Config("vps")
  // Loaded by the first call: a program that only makes resources does without the SDK.
  const { functions } = await import("../runtime.ts")
  try {
    return await functions.call(name, args as Properties, (key) => config.get(key)) as Results[Name]
  } catch (error) {
    // Printed without a stack: it is about the account, not about the program.
    throw new RunError((error as Error).message)
  }
}

const outputOf = <Name extends FunctionName>(name: Name, args: object): pulumi.Output<Results[Name]> =>
  output(args).apply((known) => invoke(name, known)) as unknown as pulumi.Output<Results[Name]>

/** The plans that can be bought. */
export const getPlans = () => invoke("getPlans", {})
export const getPlansOutput = () => outputOf("getPlans", {})

/** The operating systems that a plan can run. */
export const getOsOptions = (args: OfPlan) => invoke("getOsOptions", args)
export const getOsOptionsOutput = (args: Inputs<OfPlan>) => outputOf("getOsOptions", args)

/** One instance, as the service shows it. */
export const getInstance = (args: OfInstance) => invoke("getInstance", args)
export const getInstanceOutput = (args: Inputs<OfInstance>) => outputOf("getInstance", args)

/** All instances of the account, in whatever stack they stand or don't. */
export const getInstances = () => invoke("getInstances", {})
export const getInstancesOutput = () => outputOf("getInstances", {})

/** What an instance does now: power, boot mode, open task, snapshots used, newest sample. */
export const getStatus = (args: OfInstance) => invoke("getStatus", args)
export const getStatusOutput = (args: Inputs<OfInstance>) => outputOf("getStatus", args)

/** What an instance used: percent, bytes, and bytes per second. */
export const getMetrics = (args: GetMetricsArgs) => invoke("getMetrics", args)
export const getMetricsOutput = (args: Inputs<GetMetricsArgs>) => outputOf("getMetrics", args)

/** The activity feed of an instance, newest first. */
export const getTasks = (args: GetTasksArgs) => invoke("getTasks", args)
export const getTasksOutput = (args: Inputs<GetTasksArgs>) => outputOf("getTasks", args)

/** The plans that an instance can be resized to, and what a resize now would charge. */
export const getAvailablePlans = (args: OfInstance) => invoke("getAvailablePlans", args)
export const getAvailablePlansOutput = (args: Inputs<OfInstance>) => outputOf("getAvailablePlans", args)

/** The snapshots of an instance. */
export const getSnapshots = (args: OfInstance) => invoke("getSnapshots", args)
export const getSnapshotsOutput = (args: Inputs<OfInstance>) => outputOf("getSnapshots", args)

/** The host's nightly backups of an instance. */
export const getBackups = (args: OfInstance) => invoke("getBackups", args)
export const getBackupsOutput = (args: Inputs<OfInstance>) => outputOf("getBackups", args)

/** The ISO images that an instance can mount. */
export const getIsos = (args: OfInstance) => invoke("getIsos", args)
export const getIsosOutput = (args: Inputs<OfInstance>) => outputOf("getIsos", args)

/** Whose the API key is, and what it may do. */
export const getWhoami = () => invoke("getWhoami", {})
export const getWhoamiOutput = () => outputOf("getWhoami", {})

/**
 * What the wallet holds, through a dry run of a purchase: nothing is bought. The key needs the scope `vps:create`.
 *
 * @example
 * const { balance, currency } = await getWallet()
 */
export const getWallet = (args: GetWalletArgs = {}) => invoke("getWallet", args)
export const getWalletOutput = (args: Inputs<GetWalletArgs> = {}) => outputOf("getWallet", args)
