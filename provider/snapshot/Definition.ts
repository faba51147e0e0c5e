/** The inputs and outputs of a Snapshot, and what a change of each input does. */
import { type AttachedInputs, instanceIdInput } from "../attached/Attached.ts"
import type { Definition, Input, Output } from "../definition/Definition.ts"
import { oneOf, text, timeouts } from "../definition/ValueTypes.ts"
import type { Properties } from "../definition/Properties.ts"

export const SNAPSHOT_ON_DELETE = ["delete", "keep"] as const
/** What happens to the snapshot when the resource is destroyed. */
export type SnapshotOnDelete = typeof SNAPSHOT_ON_DELETE[number]

export interface SnapshotInputs extends AttachedInputs {
  readonly name: string
  readonly onDelete?: SnapshotOnDelete
}

export const asInputs = (checked: Properties): SnapshotInputs => checked as unknown as SnapshotInputs

const INPUTS = {
  instanceId: instanceIdInput("The instance whose disk is recorded."),
  name: {
    type: text(1, 64),
    description: "Its name: unique among the snapshots that this program takes of the instance.",
    required: "the snapshot's name",
    change: "replaced",
    effect: "A new snapshot is taken, then the old one is deleted; the other way round when the quota is full."
  },
  onDelete: {
    type: oneOf(SNAPSHOT_ON_DELETE),
    description:
      "What destroying does. delete: it is deleted. keep: it stays, and goes on taking a place of the quota.",
    default: "\"delete\"",
    change: "nothing"
  },
  timeouts: {
    type: timeouts(["create", "update", "delete"]),
    description: "How long the phases may take.",
    default: "10 minutes each",
    change: "nothing"
  }
} as const satisfies Record<string, Input>

const OUTPUTS = {
  snapshotId: {
    schema: { type: "integer" },
    description: "What the API calls it; `SnapshotRestore` takes it.",
    stable: true
  },
  status: { schema: { type: "string" }, description: "As last seen: creating, available or restoring." },
  sizeBytes: {
    schema: { type: "integer" },
    description: "Its size; undefined until it is available.",
    unit: "bytes",
    optional: true
  },
  createdAt: { schema: { type: "string" }, description: "When it was taken.", unit: "ISO 8601", stable: true },
  userId: { schema: { type: "integer" }, description: "The account that owns the instance.", stable: true }
} as const satisfies Record<string, Output>

export const SNAPSHOT = {
  name: "Snapshot",
  description: "A snapshot of an instance's disk. The service keeps a few per instance (the quota) and charges nothing "
    + "for them.",
  inputs: INPUTS,
  outputs: OUTPUTS
} satisfies Definition
