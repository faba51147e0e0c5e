/** The definition of a Snapshot. */
import type { AttachedInputs } from "../attached/Attached.ts"
import { type Definition, type InputValues, instanceId, oneOf, text, timeouts } from "../definition/Definition.ts"
import type { Properties } from "../definition/Properties.ts"

const ON_DELETE = ["delete", "keep"] as const
/** The effect of destroying the resource. */
export type SnapshotOnDelete = typeof ON_DELETE[number]

export const SNAPSHOT = {
  name: "Snapshot",
  description: "A snapshot of an instance's disk, taken once: it is looked up by its name before another one is "
    + "requested. The service stores a limited number per instance (the quota), free of charge.",
  inputs: {
    instanceId: {
      type: instanceId,
      description: "The instance to take the snapshot of: `instance.id`.",
      required: "the id of an instance, such as instance.id",
      change: "replaced"
    },
    name: {
      type: text(1, 64),
      description: "Name, unique among the snapshots that this program takes of the instance.",
      required: "the snapshot's name",
      change: "replaced",
      effect: "Takes a new snapshot, then deletes the old one; in the reverse order when the quota is full."
    },
    onDelete: {
      type: oneOf(ON_DELETE),
      description:
        "The effect of destroying. delete: deletes the snapshot. keep: leaves it; it still counts towards the "
        + "quota. A snapshot that is destroyed together with its instance stays with the instance.",
      default: "\"delete\"",
      change: "nothing"
    },
    timeouts: {
      type: timeouts(["create", "update", "delete"]),
      description: "Timeouts of the phases.",
      default: "10 minutes each",
      change: "nothing"
    }
  },
  outputs: {
    snapshotId: {
      schema: { type: "integer" },
      description: "The API's id of the snapshot; `SnapshotRestore` takes it.",
      stable: true
    },
    status: {
      schema: { type: "string" },
      description: "The last observed status: creating, available or restoring; absent if the host does not show it.",
      optional: true
    },
    sizeBytes: {
      schema: { type: "integer" },
      description: "Its size; absent until it is available.",
      unit: "bytes",
      optional: true
    },
    createdAt: {
      schema: { type: "string" },
      description: "The time of its creation; absent if the host does not show it.",
      unit: "ISO 8601",
      optional: true,
      stable: true
    },
    userId: { schema: { type: "integer" }, description: "The account that owns the instance.", stable: true }
  }
} as const satisfies Definition

export type SnapshotInputs = InputValues<typeof SNAPSHOT> & AttachedInputs

export const asInputs = (checked: Properties): SnapshotInputs => checked as unknown as SnapshotInputs
