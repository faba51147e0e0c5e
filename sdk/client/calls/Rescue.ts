import type { RescueResult } from "../Records.ts"
import type { CallOptions } from "../options/Options.ts"
import { idempotent } from "./Endpoint.ts"

/** Rescue mode: booting from a rescue system, and from the disk again. */
export const rescue = {
  /** Boots the rescue system. With `restarted: false`, the boot mode is set but you must reboot the instance. */
  enter: idempotent<(id: number, options?: CallOptions) => RescueResult>("POST /instances/:instance_id/rescue"),

  /** Boots from the disk again. With `restarted: false`, the boot mode is set but you must reboot the instance. */
  exit: idempotent<(id: number, options?: CallOptions) => RescueResult>("DELETE /instances/:instance_id/rescue")
}
