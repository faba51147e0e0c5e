/** The inputs and outputs of SnapshotRestore and BackupRestore, and what a change of each input does. */
import { type AttachedInputs, instanceIdInput } from "../attached/Attached.ts"
import type { Definition, Input, Output } from "../definition/Definition.ts"
import { boolean, integer, timeouts, triggers } from "../definition/ValueTypes.ts"
import type { Properties } from "../definition/Properties.ts"

export interface RestoreInputs extends AttachedInputs {
  readonly triggers?: ReadonlyArray<unknown>
  readonly allowDataLoss?: boolean
}

export const asInputs = (checked: Properties): RestoreInputs => checked as unknown as RestoreInputs

const COMMON = {
  triggers: {
    type: triggers,
    description: "Values whose change restores again. Creating the resource restores once, with or without them.",
    change: "data loss",
    effect: "Restored again, once; fails the check without `allowDataLoss`. Removing them does nothing."
  },
  allowDataLoss: {
    type: boolean,
    description: "Whether what was written since may be lost; a restore that is due fails the check without it.",
    default: "false",
    change: "nothing"
  },
  timeouts: {
    type: timeouts(["create", "update"]),
    description: "How long the phases may take.",
    default: "10 minutes each",
    change: "nothing"
  }
} as const satisfies Record<string, Input>

const OUTPUTS = {
  taskId: { schema: { type: "integer" }, description: "The last restore in the activity feed." },
  restoredFrom: { schema: { type: "integer" }, description: "What the last restore brought back." },
  restoredAt: {
    schema: { type: "string" },
    description: "When the last restore had ended; undefined while it runs.",
    unit: "ISO 8601",
    optional: true
  },
  userId: { schema: { type: "integer" }, description: "The account that owns the instance.", stable: true }
} as const satisfies Record<string, Output>

const source = (description: string, required: string): Input => ({
  type: integer(1),
  description,
  required,
  change: "nothing",
  effect: "Taken by the next restore; change `triggers` with it to restore now."
})

const INSTANCE_ID = instanceIdInput("The instance whose disk is put back.")

export const SNAPSHOT_RESTORE = {
  name: "SnapshotRestore",
  description:
    "Puts an instance's disk back to a snapshot: once when it is created, and once per change of `triggers`. "
    + "Destroying it does nothing.",
  inputs: {
    instanceId: INSTANCE_ID,
    snapshotId: source("The snapshot: `snapshot.snapshotId`.", "the id of a snapshot, such as snapshot.snapshotId"),
    ...COMMON
  },
  outputs: OUTPUTS
} satisfies Definition

export const BACKUP_RESTORE = {
  name: "BackupRestore",
  description: "Puts an instance's disk back to one of the host's nightly backups: once when it is created, and once "
    + "per change of `triggers`. Destroying it does nothing.",
  inputs: {
    instanceId: INSTANCE_ID,
    backupId: source("The backup; `getBackups` lists them.", "the id of a backup (getBackups lists them)"),
    ...COMMON
  },
  outputs: OUTPUTS
} satisfies Definition
