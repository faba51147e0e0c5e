/** `vps snapshot`. */
import * as Arguments from "../shared/Arguments.ts"
import type { SnapshotResult } from "../../client/Records.ts"
import { snapshotsNamed } from "../../client/host/SnapshotsNamed.ts"
import type { View } from "../../client/host/View.ts"
import type { HostClient } from "../HostClient.ts"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { confirmDataLoss, yes } from "../terminal/Terminal.ts"
import { call, command } from "../Command.ts"
import { runAction, runOnEach } from "../shared/Action.ts"
import { instanceCommand, selection } from "../shared/Selection.ts"
import { rowsOf, snapshots } from "../shared/Views.ts"

const snapshotId = Argument.Int("snapshot").pipe(
  Argument.withDescription("ID of the snapshot; see \"vps snapshot list\"")
)

const listSnapshots = instanceCommand(
  "list",
  snapshots.flags,
  ({ id, ...flags }) => snapshots.print(rowsOf("snapshots", call((client) => client.snapshots.list(id))), flags)
)
  .pipe(
    Command.withDescription("List an instance's snapshots"),
    Command.withExamples([{ command: "vps snapshot list 7" }])
  )

const createSnapshot = command("create", {
  ...selection,
  name: Flag.String("name").pipe(
    Flag.filter((text) => text !== "", () => "--name must not be empty"),
    Flag.withDescription("Name of the snapshot")
  ),
  ...Arguments.waits
}, ({ name, ...wanted }) =>
  runOnEach<View<SnapshotResult>>("Take snapshots of", wanted, {
    action: "snapshot create",
    request: (client, id) => client.snapshots.create(id, { name }),
    detail: ({ snapshot }) => snapshot?.id === undefined ? "" : `Snapshot ID: ${snapshot.id}.`,
    // A host may return no record of it: then the newest of its name is the one.
    refresh: (client, id, result) =>
      Effect.map(client.snapshots.list(id), ({ data = [] }) => {
        const found = result.snapshot?.id === undefined
          ? snapshotsNamed(name, data).at(-1)
          : data.find((each) => each.id === result.snapshot?.id)
        return { ...result, snapshot: found ?? result.snapshot }
      }),
    ids: ({ snapshot }) => snapshot?.id === undefined ? [] : [snapshot.id]
  })).pipe(
    Command.withShortDescription("Take a snapshot of instances' disks"),
    Command.withDescription(
      "Take a snapshot of instances' disks. \"vps instance status\" shows how many an instance may have."
    ),
    Command.withExamples([
      { command: "vps snapshot create 7 --name before-upgrade --wait" },
      { command: "vps snapshot create --all --name before-upgrade --wait" }
    ])
  )

const restoreSnapshot = instanceCommand(
  "restore",
  { snapshotId, ...Arguments.waits, yes },
  Effect.fnUntraced(function*({ id, snapshotId, timeout, wait, yes }) {
    yield* confirmDataLoss(
      yes,
      `Restore instance ${id} to snapshot ${snapshotId}? Changes since then are lost.`
    )
    const request = (client: HostClient) => client.snapshots.restore(id, snapshotId)
    yield* runAction({ id, action: "snapshot restore", request, wait, timeout })
  })
).pipe(
  Command.withShortDescription("Restore the disk to a snapshot"),
  Command.withDescription("Restore an instance's disk to a snapshot. Changes since then are lost."),
  Command.withExamples([{ command: "vps snapshot restore 7 3 --wait" }])
)

const deleteSnapshot = instanceCommand(
  "delete",
  { snapshotId, ...Arguments.waits, yes },
  Effect.fnUntraced(function*({ id, snapshotId, timeout, wait, yes }) {
    yield* confirmDataLoss(yes, `Delete snapshot ${snapshotId} of instance ${id}? This cannot be undone.`)
    const request = (client: HostClient) => client.snapshots.delete(id, snapshotId)
    yield* runAction({ id, action: "snapshot delete", request, wait, timeout })
  })
).pipe(
  Command.withDescription("Delete a snapshot"),
  Command.withExamples([{ command: "vps snapshot delete 7 3 --yes" }])
)

export const snapshot = Command.make("snapshot").pipe(
  Command.withDescription("Take, restore, and delete snapshots"),
  Command.withSubcommands([listSnapshots, createSnapshot, restoreSnapshot, deleteSnapshot])
)
