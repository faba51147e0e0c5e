/** Generated from the definitions by `npm run generate`. Do not edit. */
import type * as pulumi from "@pulumi/pulumi"
import type {
  GetAvailablePlansArgs,
  GetBackupsArgs,
  GetImageArgs,
  GetInstanceArgs,
  GetIsosArgs,
  GetMetricsArgs,
  GetOsOptionsArgs,
  GetPlanArgs,
  GetSnapshotsArgs,
  GetStatusArgs,
  GetTasksArgs,
  GetWalletArgs,
  OutputArgs
} from "../classes/FunctionArgs.ts"
import { invoke, invokeOutput } from "./Register.ts"

/**
 * Lists the plans that can be bought. Returns a list: `id` (the `serviceId`), `slug` (the `plan`), `name`, `price`,
 * `billingCycle`, `category`, `specs`.
 */
export const getPlans = (opts?: pulumi.InvokeOptions) => invoke("getPlans", {}, opts)
export const getPlansOutput = (opts?: pulumi.InvokeOutputOptions) => invokeOutput("getPlans", {}, opts)

/** Gets a plan that can be bought, by its slug. Returns what `getPlans` returns of each plan. */
export const getPlan = (args: GetPlanArgs, opts?: pulumi.InvokeOptions) => invoke("getPlan", args, opts)
export const getPlanOutput = (args: OutputArgs<GetPlanArgs>, opts?: pulumi.InvokeOutputOptions) =>
  invokeOutput("getPlan", args, opts)

/**
 * Lists the operating systems that a plan can run. Returns `locationLabel` and `osOptions`, whose `slug` is a value for
 * `os`.
 */
export const getOsOptions = (args: GetOsOptionsArgs = {}, opts?: pulumi.InvokeOptions) =>
  invoke("getOsOptions", args, opts)
export const getOsOptionsOutput = (args: OutputArgs<GetOsOptionsArgs> = {}, opts?: pulumi.InvokeOutputOptions) =>
  invokeOutput("getOsOptions", args, opts)

/**
 * Gets an operating system that a plan can run, by its slug. Returns `slug` (a value for `os`), `label`, `version`,
 * `osId`.
 */
export const getImage = (args: GetImageArgs, opts?: pulumi.InvokeOptions) => invoke("getImage", args, opts)
export const getImageOutput = (args: OutputArgs<GetImageArgs>, opts?: pulumi.InvokeOutputOptions) =>
  invokeOutput("getImage", args, opts)

/** Gets an instance by its id or by its host name. Returns `id`, `status`, `ipv4`, `expiresAt`, `order.service`, ... */
export const getInstance = (args: GetInstanceArgs = {}, opts?: pulumi.InvokeOptions) =>
  invoke("getInstance", args, opts)
export const getInstanceOutput = (args: OutputArgs<GetInstanceArgs> = {}, opts?: pulumi.InvokeOutputOptions) =>
  invokeOutput("getInstance", args, opts)

/**
 * Lists all instances of the account, whether a stack manages them or not. Returns a list of what `getInstance`
 * returns.
 */
export const getInstances = (opts?: pulumi.InvokeOptions) => invoke("getInstances", {}, opts)
export const getInstancesOutput = (opts?: pulumi.InvokeOutputOptions) => invokeOutput("getInstances", {}, opts)

/**
 * Gets the live status of an instance. Returns `power`, `bootMode`, `isoId`, `task` (the open one), `snapshots`
 * (`used`, `quota`; null for dedicated ones), `uptimeSeconds`, `sample`.
 */
export const getStatus = (args: GetStatusArgs, opts?: pulumi.InvokeOptions) => invoke("getStatus", args, opts)
export const getStatusOutput = (args: OutputArgs<GetStatusArgs>, opts?: pulumi.InvokeOutputOptions) =>
  invokeOutput("getStatus", args, opts)

/**
 * Gets the resource usage of an instance, in samples of 10 s (1h) to 6 h (30d). Returns `range`, `stepSeconds` and
 * `samples`: percent, bytes, and bytes per second.
 */
export const getMetrics = (args: GetMetricsArgs, opts?: pulumi.InvokeOptions) => invoke("getMetrics", args, opts)
export const getMetricsOutput = (args: OutputArgs<GetMetricsArgs>, opts?: pulumi.InvokeOutputOptions) =>
  invokeOutput("getMetrics", args, opts)

/**
 * Lists the activity feed of an instance, newest first. Returns `items` (`type`, `status`, `progress`, `error`, ...),
 * `total`, `limit`, `offset`.
 */
export const getTasks = (args: GetTasksArgs, opts?: pulumi.InvokeOptions) => invoke("getTasks", args, opts)
export const getTasksOutput = (args: OutputArgs<GetTasksArgs>, opts?: pulumi.InvokeOutputOptions) =>
  invokeOutput("getTasks", args, opts)

/**
 * Lists the plans that an instance can be resized to, with the charge for resizing now. Returns a list: `id`, `name`,
 * `price`, `direction`, `chargeAmount`, `currency`.
 */
export const getAvailablePlans = (args: GetAvailablePlansArgs, opts?: pulumi.InvokeOptions) =>
  invoke("getAvailablePlans", args, opts)
export const getAvailablePlansOutput = (args: OutputArgs<GetAvailablePlansArgs>, opts?: pulumi.InvokeOutputOptions) =>
  invokeOutput("getAvailablePlans", args, opts)

/**
 * Lists the snapshots of an instance. Returns a list: `id` (the `snapshotId`), `name`, `status`, `sizeBytes`,
 * `createdAt`.
 */
export const getSnapshots = (args: GetSnapshotsArgs, opts?: pulumi.InvokeOptions) => invoke("getSnapshots", args, opts)
export const getSnapshotsOutput = (args: OutputArgs<GetSnapshotsArgs>, opts?: pulumi.InvokeOutputOptions) =>
  invokeOutput("getSnapshots", args, opts)

/**
 * Lists the nightly backups of an instance. Returns a list: `id` (the `backupId`), `status`, `sizeBytes`, `createdAt`,
 * `expiresAt`.
 */
export const getBackups = (args: GetBackupsArgs, opts?: pulumi.InvokeOptions) => invoke("getBackups", args, opts)
export const getBackupsOutput = (args: OutputArgs<GetBackupsArgs>, opts?: pulumi.InvokeOutputOptions) =>
  invokeOutput("getBackups", args, opts)

/**
 * Lists the ISO images that an instance can mount. Returns a list: `id` (the `isoId`), `name`, `fileName`, `sizeBytes`,
 * `mounted`.
 */
export const getIsos = (args: GetIsosArgs, opts?: pulumi.InvokeOptions) => invoke("getIsos", args, opts)
export const getIsosOutput = (args: OutputArgs<GetIsosArgs>, opts?: pulumi.InvokeOutputOptions) =>
  invokeOutput("getIsos", args, opts)

/**
 * Gets the account and the permissions of the API key. Returns `accountId`, `email`, `key` (`name`, `scopes`,
 * `effectiveScopes`, `expiresAt`, ...).
 */
export const getWhoami = (opts?: pulumi.InvokeOptions) => invoke("getWhoami", {}, opts)
export const getWhoamiOutput = (opts?: pulumi.InvokeOutputOptions) => invokeOutput("getWhoami", {}, opts)

/**
 * Gets the balance of the wallet, by a dry run of a purchase: nothing is bought. The key needs `vps:create`. Returns
 * `balance` (in units of `currency`) and `currency`.
 *
 * @example
 * const { balance, currency } = await getWallet()
 */
export const getWallet = (args: GetWalletArgs = {}, opts?: pulumi.InvokeOptions) => invoke("getWallet", args, opts)
export const getWalletOutput = (args: OutputArgs<GetWalletArgs> = {}, opts?: pulumi.InvokeOutputOptions) =>
  invokeOutput("getWallet", args, opts)
