/** The limits of the operator's commands. */
import type { LimitTable } from "../Limit.ts"

export const ADMIN_LIMITS = {
  ADMIN_REQUEST_BYTES_MAX: {
    fallback: 4 * 1024 * 1024,
    min: 64 * 1024,
    unit: "bytes",
    reason: "Largest request on the admin socket: a catalogue with thousands of plans."
  }
} satisfies LimitTable
