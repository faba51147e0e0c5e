/** The limits of machines on hosts, and of the libvirt driver. */
import { limit, millis } from "../Limit.ts"

export const MACHINE_LIMITS = {
  ADDRESS_QUARANTINE_MILLIS: millis(
    24 * 60 * 60_000,
    "How long a released address waits for its next instance: others may still send to it.",
    { min: 0 }
  ),
  ADDRESS_POOL_MAX: limit(4_096, "addresses", "Most addresses in one pool: all are inserted in one transaction."),
  HOST_CHECK_MILLIS: millis(10_000, "How often each host is checked."),
  HOST_REPLY_MILLIS: millis(
    5_000,
    "Maximum wait for the reply to a check; a host that misses two in a row is unreachable."
  ),
  AUDIT_MILLIS: millis(5 * 60_000, "How often instances are compared with the machines on hosts."),
  AUDIT_STARTS_MILLIS: millis(
    20_000,
    "How often the service looks for machines that are off since their host was restarted: only it starts them."
  ),
  AUDIT_DEPARTURE_MILLIS: millis(
    10 * 60_000,
    "How long a host must have shut down no other machine before one counts as shut down by its owner: a host that "
      + "goes down waits up to 5 minutes for each of its machines.",
    { min: 0 }
  ),
  AUDIT_REPAIRS_MAX: limit(
    20,
    "machines",
    "Most machines that one audit repairs: a defect that looks the same everywhere must not change everything.",
    { min: 0 }
  ),
  AUDIT_RESTARTS_MAX: limit(
    5,
    "restarts",
    "How often a machine that crashes is started again within the window; after that its instance is stopped.",
    { min: 0 }
  ),
  AUDIT_RESTARTS_WINDOW_MILLIS: millis(
    6 * 60 * 60_000,
    "The window of AUDIT_RESTARTS_MAX: long enough for starts that each fail for half an hour."
  ),
  RDNS_CALL_MILLIS: millis(5_000, "Maximum wait for a response of the name server of PTR records: a caller may wait."),
  RDNS_TTL_SECONDS: limit(
    3_600,
    "seconds",
    "How long resolvers may cache a PTR record, so how late a change takes effect."
  ),
  LIBVIRT_CALL_MILLIS: millis(
    20_000,
    "Maximum wait for libvirt's reply to a call: a machine that another call has locked fails it after 30 s."
  ),
  LIBVIRT_COPY_MILLIS: millis(10 * 60_000, "Maximum duration of a copy or an upload of a disk."),
  LIBVIRT_KEEPALIVE_MILLIS: millis(
    5_000,
    "Time between two checks that libvirt still answers; after three without an answer, its connection is lost."
  ),
  LIBVIRT_CERTIFICATE_MILLIS: millis(
    30 * 24 * 60 * 60_000,
    "How long before its end a certificate of a host is reported: new ones may have to be approved.",
    { min: 0 }
  ),
  LIBVIRT_FILTER_MILLIS: millis(
    60 * 60_000,
    "How often the rules of network filters are made again: a firewall that is reloaded may have removed them."
  ),
  LIBVIRT_POLL_MILLIS: millis(500, "Longest time between two polls of a machine that boots, shuts down, or is copied."),
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
  LIBVIRT_FREEZE_MILLIS: millis(
    10_000,
    "How long a guest may take to freeze its file systems for a snapshot or a backup, and how long they stay frozen.",
    { min: 1_000 }
  ),
  LIBVIRT_CONSOLE_PASSWORD_MILLIS: millis(
    60_000,
    "How long a console's password on a remote host is valid: it is sent in the clear, and used at once.",
    { min: 1_000 }
  ),
  LIBVIRT_BOOT_MILLIS: millis(
    10 * 60_000,
    "How long a new system may take for its first boot. After that the order is refunded."
  ),
  LIBVIRT_POOL_RESERVE_MIB: limit(
    1_024,
    "MiB",
    "Space in a pool that copies and new disks leave free: guests whose disk cannot grow are paused.",
    { min: 0 }
  ),
  LIBVIRT_TAKEOVER_MILLIS: millis(
    5 * 60_000,
    "Time after which another operation may replace one that was interrupted and not repeated."
  )
}
