/** The limits of machines on hosts, and of the libvirt driver. */
import { limit, millis } from "../Limit.ts"

export const MACHINE_LIMITS = {
  ADDRESS_QUARANTINE_MILLIS: millis(
    24 * 60 * 60_000,
    "How long a released address waits for its next instance: others may still send to it.",
    { min: 0 }
  ),
  ADDRESS_POOL_MAX: limit(4_096, "addresses", "Most addresses in one pool: all are inserted in one transaction."),
  LIBVIRT_CALL_MILLIS: millis(
    20_000,
    "Maximum wait for libvirt's reply to a call: a machine that another call has locked fails it after 30 s."
  ),
  LIBVIRT_COPY_MILLIS: millis(10 * 60_000, "Maximum duration of a copy or an upload of a disk."),
  LIBVIRT_KEEPALIVE_MILLIS: millis(
    5_000,
    "Between two checks that libvirt still answers; after three without an answer, its connection is lost."
  ),
  LIBVIRT_POLL_MILLIS: millis(500, "Between two polls of a machine that boots, shuts down, or is copied."),
  LIBVIRT_SHUTDOWN_MILLIS: millis(
    30_000,
    "How long a system may take to shut down by itself before its machine is powered off.",
    { min: 0 }
  ),
  LIBVIRT_AGENT_MILLIS: millis(
    30_000,
    "How long an operation waits for the guest agent of a machine that may still be booting.",
    { min: 0 }
  ),
  LIBVIRT_TAKEOVER_MILLIS: millis(
    5 * 60_000,
    "When another operation may replace one that was interrupted and not repeated."
  )
}
