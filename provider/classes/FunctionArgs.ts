/** Generated from the definitions by `npm run generate`. Do not edit. */
import type * as pulumi from "@pulumi/pulumi"

/** The same arguments, each of which may be an output. */
export type OutputArgs<Args> = { readonly [Name in keyof Args]: pulumi.Input<Exclude<Args[Name], undefined>> }

export interface GetPlanArgs {
  /** The slug. Takes: string, 1 to 64 characters. */
  readonly slug: string
}

export interface GetOsOptionsArgs {
  /** The plan. Takes: integer, 1 or more. */
  readonly serviceId?: number
  /** The plan by its slug, such as "vps-s", instead of `serviceId`. Takes: string, 1 to 64 characters. */
  readonly plan?: string
}

export interface GetImageArgs {
  /** The slug. Takes: string, 1 to 64 characters. */
  readonly slug: string
  /** The plan. Takes: integer, 1 or more. */
  readonly serviceId?: number
  /** The plan by its slug, such as "vps-s", instead of `serviceId`. Takes: string, 1 to 64 characters. */
  readonly plan?: string
}

export interface GetInstanceArgs {
  /** The instance. Takes: id of an instance. */
  readonly instanceId?: string | number
  /** Its host name, instead of its id; no other instance may have it. Takes: string, 1 to 253 characters. */
  readonly hostname?: string
}

export interface GetStatusArgs {
  /** The instance. Takes: id of an instance. */
  readonly instanceId: string | number
}

export interface GetMetricsArgs {
  /** The instance. Takes: id of an instance. */
  readonly instanceId: string | number
  /** The period until now. Takes: "1h" or "6h" or "24h" or "7d" or "30d". Default: "1h". */
  readonly range?: "1h" | "6h" | "24h" | "7d" | "30d"
}

export interface GetTasksArgs {
  /** The instance. Takes: id of an instance. */
  readonly instanceId: string | number
  /** Maximum number of tasks, up to 100. Takes: integer, 1 or more. Default: 20. */
  readonly limit?: number
  /** Number of the newest tasks to skip. Takes: integer, 0 or more. Default: 0. */
  readonly offset?: number
}

export interface GetAvailablePlansArgs {
  /** The instance. Takes: id of an instance. */
  readonly instanceId: string | number
}

export interface GetSnapshotsArgs {
  /** The instance. Takes: id of an instance. */
  readonly instanceId: string | number
}

export interface GetBackupsArgs {
  /** The instance. Takes: id of an instance. */
  readonly instanceId: string | number
}

export interface GetIsosArgs {
  /** The instance. Takes: id of an instance. */
  readonly instanceId: string | number
}

export interface GetWalletArgs {
  /** The plan to request the price of. Takes: integer, 1 or more. Default: the cheapest plan. */
  readonly serviceId?: number
}
