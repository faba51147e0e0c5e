/**
 * Every limit, timeout, retry count and retention of the service, from the tables of the folders that they bound. Each
 * is set by the environment variable VPS_SERVICE_ and its name; `vps-service config` shows the values in effect.
 */
import * as Context from "effect/Context"
import { ADMIN_LIMITS } from "../admin/Limits.ts"
import { AUTH_LIMITS } from "../auth/Limits.ts"
import { BILLING_LIMITS } from "../billing/Limits.ts"
import { EMULATOR_LIMITS } from "../emulator/Limits.ts"
import { HTTP_LIMITS } from "../http/Limits.ts"
import { IDEMPOTENCY_LIMITS } from "../idempotency/Limits.ts"
import { INSTANCE_LIMITS } from "../instances/Limits.ts"
import { MAIL_LIMITS } from "../mail/Limits.ts"
import { PERSISTENCE_LIMITS } from "../persistence/Limits.ts"
import { SIMULATED_LIMITS } from "../provisioning/drivers/simulated/Limits.ts"
import { RATE_LIMITS } from "../ratelimit/Limits.ts"
import { TASK_LIMITS } from "../tasks/Limits.ts"

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
