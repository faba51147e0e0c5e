/** What functions take, for programs: the same from both hosts. */
import type * as pulumi from "@pulumi/pulumi"
import type { MetricsRange } from "#contract/Monitoring"

/** Which instance: its id, such as `instance.id`. */
export interface OfInstance {
  readonly instanceId: string | number
}
/** Which plan. */
export interface OfPlan {
  readonly serviceId: number
}
export interface GetMetricsArgs extends OfInstance {
  /** How far back; "1h" by default. */
  readonly range?: MetricsRange
}
export interface GetTasksArgs extends OfInstance {
  /** 1 to 100; 20 by default. */
  readonly limit?: number
  /** How many of the newest to leave out; 0 by default. */
  readonly offset?: number
}
export interface GetWalletArgs {
  /** The plan whose price is asked for; the cheapest by default. */
  readonly serviceId?: number
}

/** The same arguments, each of which may be an output. */
export type Inputs<Args> = { readonly [Name in keyof Args]: pulumi.Input<Exclude<Args[Name], undefined>> }
