import type { ActionResult } from "../Records.ts"
import type { CallOptions } from "../options/Options.ts"
import { idempotent, mutation } from "./Endpoint.ts"

/** Power on, power off and reboot. Each call returns immediately; a task does the work. */
export const power = {
  /** Powers on the instance. Does nothing if it is running. */
  start: idempotent<(id: number, options?: CallOptions) => ActionResult>("POST /instances/:instance_id/start"),

  /** Powers off the instance. Does nothing if it is off. */
  stop: idempotent<(id: number, options?: CallOptions) => ActionResult>("POST /instances/:instance_id/stop"),

  /** Reboots the instance. Starts it if it is off. */
  restart: mutation<(id: number, options?: CallOptions) => ActionResult>("POST /instances/:instance_id/restart")
}
