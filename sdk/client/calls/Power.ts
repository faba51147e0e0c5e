import type { ActionResult } from "../Records.ts"
import type { CallOptions } from "../options/Options.ts"
import { idempotent, mutation } from "./Endpoint.ts"

/** Power on, power off and reboot. Each call returns immediately; a task does the work. */
export const power = {
  /**
   * Powers on the instance. Does nothing if it is running.
   *
   * @example
   * await vps.power.start(42)
   * await vps.instances.waitUntilIdle(42)
   */
  start: idempotent<(id: number, options?: CallOptions) => ActionResult>("POST /instances/:instance_id/start"),

  /**
   * Powers off the instance. Does nothing if it is off.
   *
   * @example
   * const { task_id } = await vps.power.stop(42)
   * if (task_id !== null) await vps.instances.waitUntilIdle(42)
   */
  stop: idempotent<(id: number, options?: CallOptions) => ActionResult>("POST /instances/:instance_id/stop"),

  /**
   * Reboots the instance. Starts it if it is off.
   *
   * @example
   * await vps.power.restart(42)
   * await vps.instances.waitUntilIdle(42)
   */
  restart: mutation<(id: number, options?: CallOptions) => ActionResult>("POST /instances/:instance_id/restart")
}
