/**
 * Every limit, timeout, retry count and retention of the service, from the tables of the folders that they bound. Each
 * is set by the environment variable VPS_SERVICE_ and its name; `vps-service config` shows the values in effect.
 */
import * as Context from "effect/Context"
import { ADMIN_LIMITS } from "./limits/Admin.ts"
import { AUTH_LIMITS } from "./limits/Auth.ts"
import { BILLING_LIMITS } from "./limits/Billing.ts"
import { EMULATOR_LIMITS } from "./limits/Emulator.ts"
import { HTTP_LIMITS } from "./limits/Http.ts"
import { IDEMPOTENCY_LIMITS } from "./limits/Idempotency.ts"
import { INSTANCE_LIMITS } from "./limits/Instances.ts"
import { MAIL_LIMITS } from "./limits/Mail.ts"
import { PERSISTENCE_LIMITS } from "./limits/Persistence.ts"
import { SIMULATED_LIMITS } from "./limits/Simulated.ts"
import { RATE_LIMITS } from "./limits/Rates.ts"
import { TASK_LIMITS } from "./limits/Tasks.ts"

/** The folders' tables as one. */
export const LIMITS = {
  ...HTTP_LIMITS,
  ...MAIL_LIMITS,
  ...PERSISTENCE_LIMITS,
  ...TASK_LIMITS,
  ...INSTANCE_LIMITS,
  ...BILLING_LIMITS,
  ...IDEMPOTENCY_LIMITS,
  ...AUTH_LIMITS,
  ...RATE_LIMITS,
  ...ADMIN_LIMITS,
  ...SIMULATED_LIMITS,
  ...EMULATOR_LIMITS
}

/** The value of each limit. */
export type LimitValues = Readonly<Record<keyof typeof LIMITS, number>>

/** The limits in effect. Layers yield them once, while they are built; hot paths read a captured value. */
export class Limits extends Context.Service<Limits, LimitValues>()("pulumi-vps/service/Limits") {}
