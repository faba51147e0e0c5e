/**
 * The records of which the specification shows no field. This service documents them, and another host may fill them
 * otherwise: a client relies on no field of theirs. `sdk/client/host` derives the types of the readers from this list.
 */
export const UNSHOWN_RECORDS = [
  "ServiceInfo",
  "Whoami",
  "KeyInfo",
  "ActionResult",
  "HostnameResult",
  "RdnsResult",
  "ResizeResult",
  "AvailablePlan",
  "LiveStatus",
  "LiveStatusSnapshots",
  "Task",
  "MetricsSample",
  "Metrics",
  "TaskPage",
  "Snapshot",
  "SnapshotResult",
  "Backup",
  "Iso"
] as const
