/** Generated from the definitions by `npm run generate`. Do not edit. */
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
export const getPlans = () => invoke("getPlans", {})
export const getPlansOutput = () => invokeOutput("getPlans", {})

/** Gets a plan that can be bought, by its slug. Returns what `getPlans` returns of each plan. */
export const getPlan = (args: GetPlanArgs) => invoke("getPlan", args)
export const getPlanOutput = (args: OutputArgs<GetPlanArgs>) => invokeOutput("getPlan", args)

/**
 * Lists the operating systems that a plan can run. Returns `locationLabel` and `osOptions`, whose `slug` is a value for
 * `os`.
 */
export const getOsOptions = (args: GetOsOptionsArgs = {}) => invoke("getOsOptions", args)
export const getOsOptionsOutput = (args: OutputArgs<GetOsOptionsArgs> = {}) => invokeOutput("getOsOptions", args)

/**
 * Gets an operating system that a plan can run, by its slug. Returns `slug` (a value for `os`), `label`, `version`,
 * `osId`.
 */
export const getImage = (args: GetImageArgs) => invoke("getImage", args)
export const getImageOutput = (args: OutputArgs<GetImageArgs>) => invokeOutput("getImage", args)

/** Gets an instance by its id or by its host name. Returns `id`, `status`, `ipv4`, `expiresAt`, `order.service`, ... */
export const getInstance = (args: GetInstanceArgs = {}) => invoke("getInstance", args)
export const getInstanceOutput = (args: OutputArgs<GetInstanceArgs> = {}) => invokeOutput("getInstance", args)

/**
 * Lists all instances of the account, whether a stack manages them or not. Returns a list of what `getInstance`
 * returns.
 */
export const getInstances = () => invoke("getInstances", {})
export const getInstancesOutput = () => invokeOutput("getInstances", {})

/**
 * Gets the live status of an instance. Returns `power`, `bootMode`, `isoId`, `task` (the open one), `snapshots`
 * (`used`, `quota`; null for dedicated ones), `uptimeSeconds`, `sample`.
 */
export const getStatus = (args: GetStatusArgs) => invoke("getStatus", args)
export const getStatusOutput = (args: OutputArgs<GetStatusArgs>) => invokeOutput("getStatus", args)

/**
 * Gets the resource usage of an instance, in samples of 10 s (1h) to 6 h (30d). Returns `range`, `stepSeconds` and
 * `samples`: percent, bytes, and bytes per second.
 */
export const getMetrics = (args: GetMetricsArgs) => invoke("getMetrics", args)
export const getMetricsOutput = (args: OutputArgs<GetMetricsArgs>) => invokeOutput("getMetrics", args)

/**
 * Lists the activity feed of an instance, newest first. Returns `items` (`type`, `status`, `progress`, `error`, ...),
 * `total`, `limit`, `offset`.
 */
export const getTasks = (args: GetTasksArgs) => invoke("getTasks", args)
export const getTasksOutput = (args: OutputArgs<GetTasksArgs>) => invokeOutput("getTasks", args)

/**
 * Lists the plans that an instance can be resized to, with the charge for resizing now. Returns a list: `id`, `name`,
 * `price`, `direction`, `chargeAmount`, `currency`.
 */
export const getAvailablePlans = (args: GetAvailablePlansArgs) => invoke("getAvailablePlans", args)
export const getAvailablePlansOutput = (args: OutputArgs<GetAvailablePlansArgs>) =>
  invokeOutput("getAvailablePlans", args)

/**
 * Lists the snapshots of an instance. Returns a list: `id` (the `snapshotId`), `name`, `status`, `sizeBytes`,
 * `createdAt`.
 */
export const getSnapshots = (args: GetSnapshotsArgs) => invoke("getSnapshots", args)
export const getSnapshotsOutput = (args: OutputArgs<GetSnapshotsArgs>) => invokeOutput("getSnapshots", args)

/**
 * Lists the nightly backups of an instance. Returns a list: `id` (the `backupId`), `status`, `sizeBytes`, `createdAt`,
 * `expiresAt`.
 */
export const getBackups = (args: GetBackupsArgs) => invoke("getBackups", args)
export const getBackupsOutput = (args: OutputArgs<GetBackupsArgs>) => invokeOutput("getBackups", args)

/**
 * Lists the ISO images that an instance can mount. Returns a list: `id` (the `isoId`), `name`, `fileName`, `sizeBytes`,
 * `mounted`.
 */
export const getIsos = (args: GetIsosArgs) => invoke("getIsos", args)
export const getIsosOutput = (args: OutputArgs<GetIsosArgs>) => invokeOutput("getIsos", args)

/**
 * Gets the account and the permissions of the API key. Returns `accountId`, `email`, `key` (`name`, `scopes`,
 * `effectiveScopes`, `expiresAt`, ...).
 */
export const getWhoami = () => invoke("getWhoami", {})
export const getWhoamiOutput = () => invokeOutput("getWhoami", {})

/**
 * Gets the balance of the wallet, by a dry run of a purchase: nothing is bought. The key needs `vps:create`. Returns
 * `balance` (in units of `currency`) and `currency`.
 *
 * @example
 * const { balance, currency } = await getWallet()
 */
export const getWallet = (args: GetWalletArgs = {}) => invoke("getWallet", args)
export const getWalletOutput = (args: OutputArgs<GetWalletArgs> = {}) => invokeOutput("getWallet", args)
