import type { RescueResult } from "../Records.ts"
import type { CallOptions } from "../options/Options.ts"
import { idempotent } from "./Endpoint.ts"

/** Rescue mode: booting from a rescue system, and from the disk again. */
export const rescue = {
  /**
   * Boots the rescue system. With `restarted: false`, the boot mode is set but you must reboot the instance.
   *
   * @example
   * const { restarted } = await vps.rescue.enter(42)
   * if (!restarted) await vps.power.restart(42)
   */
  enter: idempotent<(id: number, options?: CallOptions) => RescueResult>("POST /instances/:instance_id/rescue"),

  /**
   * Boots from the disk again. With `restarted: false`, the boot mode is set but you must reboot the instance.
   *
   * @example
   * const { restarted } = await vps.rescue.exit(42)
   * if (!restarted) await vps.power.restart(42)
   */
  exit: idempotent<(id: number, options?: CallOptions) => RescueResult>("DELETE /instances/:instance_id/rescue")
}
