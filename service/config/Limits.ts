/**
 * Every limit, timeout, retry count and retention of the service, from the tables in `limits`. Each is set by the
 * environment variable VPS_SERVICE_ and its name; `vps-service config` shows the values in effect.
 */
import * as Context from "effect/Context"
import { EMULATOR_LIMITS } from "./limits/Emulator.ts"
import { HTTP_LIMITS } from "./limits/Http.ts"
import { MACHINE_LIMITS } from "./limits/Machines.ts"
import { PANEL_LIMITS } from "./limits/Panel.ts"
import { PERSISTENCE_LIMITS } from "./limits/Persistence.ts"
import { RATE_LIMITS } from "./limits/Rates.ts"
import { TASK_LIMITS } from "./limits/Tasks.ts"
import { USE_CASE_LIMITS } from "./limits/UseCases.ts"

/** All tables as one. */
export const LIMITS = {
  ...HTTP_LIMITS,
  ...PERSISTENCE_LIMITS,
  ...TASK_LIMITS,
  ...MACHINE_LIMITS,
  ...USE_CASE_LIMITS,
  ...RATE_LIMITS,
  ...PANEL_LIMITS,
  ...EMULATOR_LIMITS
}

/** The value of each limit. */
export type LimitValues = Readonly<Record<keyof typeof LIMITS, number>>

/** The limits in effect. Layers yield them once, while they are built; hot paths read a captured value. */
export class Limits extends Context.Service<Limits, LimitValues>()("pulumi-vps/service/Limits") {}
