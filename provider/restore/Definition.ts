/** The definitions of SnapshotRestore and BackupRestore. */
import type { AttachedInputs } from "../attached/Attached.ts"
import {
  boolean,
  type Definition,
  type Input,
  type InputValues,
  instanceId,
  integer,
  type Output,
  timeouts,
  triggers
} from "../definition/Definition.ts"
import type { Properties } from "../definition/Properties.ts"

const INSTANCE_ID = {
  type: instanceId,
  description: "The instance whose disk is restored: `instance.id`.",
  required: "the id of an instance, such as instance.id",
  change: "replaced"
} as const satisfies Input

const COMMON = {
  triggers: {
    type: triggers,
    description: "A change of these values restores again. Creating the resource restores once, with or without them.",
    change: "data loss",
    effect: "Restores again, once; is refused without `allowDataLoss`. Removing them does nothing."
  },
  allowDataLoss: {
    type: boolean,
    description: "Allows the restore to overwrite newer data. A restore is refused without it.",
    default: "false",
    change: "nothing"
  },
  timeouts: {
    type: timeouts(["create", "update"]),
    description: "Timeouts of the phases.",
    default: "10 minutes each",
    change: "nothing"
  }
} as const satisfies Record<string, Input>

const OUTPUTS = {
  taskId: {
    schema: { type: "integer" },
    description: "The task of the last restore in the activity feed; absent if the host shows none.",
    optional: true
  },
  restoredFrom: { schema: { type: "integer" }, description: "The snapshot or backup of the last restore." },
  restoredAt: {
    schema: { type: "string" },
    description: "The end of the last restore; absent while it runs.",
    unit: "ISO 8601",
    optional: true
  },
  userId: { schema: { type: "integer" }, description: "The account that owns the instance.", stable: true }
} as const satisfies Record<string, Output>

const SOURCE = {
  type: integer(1),
  change: "nothing",
  effect: "Is recorded for the next restore; change `triggers` with it to restore now."
} as const

export const SNAPSHOT_RESTORE = {
  name: "SnapshotRestore",
  description: "Restores an instance's disk to a snapshot: once when it is created, and once per change of `triggers`; "
    + "a lost answer never causes a second restore. Newer data on the disk is lost. Destroying it does nothing.",
  inputs: {
    instanceId: INSTANCE_ID,
    snapshotId: {
      ...SOURCE,
      description: "The snapshot: `snapshot.snapshotId`.",
      required: "the id of a snapshot, such as snapshot.snapshotId"
    },
    ...COMMON
  },
  outputs: OUTPUTS
} as const satisfies Definition

export const BACKUP_RESTORE = {
  name: "BackupRestore",
  description: "Restores an instance's disk to one of its nightly backups; otherwise like `SnapshotRestore`.",
  inputs: {
    instanceId: INSTANCE_ID,
    backupId: {
      ...SOURCE,
      description: "The backup; `getBackups` lists them.",
      required: "the id of a backup (getBackups lists them)"
    },
    ...COMMON
  },
  outputs: OUTPUTS
} as const satisfies Definition

export type RestoreInputs =
  & Pick<InputValues<typeof SNAPSHOT_RESTORE>, "triggers" | "allowDataLoss">
  & AttachedInputs

export const asInputs = (checked: Properties): RestoreInputs => checked as unknown as RestoreInputs
