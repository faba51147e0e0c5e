/** `vps snapshot`, `vps backup`, and `vps iso`. */
import type { SnapshotResult } from "#contract/Snapshots"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { confirmDataLoss, yes } from "../terminal/Terminal.ts"
import { call, command } from "../Command.ts"
import { runAction, runOnEach } from "../shared/Action.ts"
import * as Arguments from "../shared/Arguments.ts"
import { instanceCommand, selection } from "../shared/Selection.ts"
import { backups, isos, snapshots } from "../shared/Views.ts"

const snapshotId = Argument.Int("snapshot").pipe(
  Argument.withDescription("ID of the snapshot; see \"vps snapshot list\"")
)

const listSnapshots = instanceCommand(
  "list",
  snapshots.flags,
  ({ id, ...flags }) => snapshots.print(call((client) => client.snapshots.list(id)), flags)
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
  runOnEach<SnapshotResult>("Take snapshots of", wanted, {
    request: (client, id) => client.snapshots.create(id, { name }),
    detail: ({ snapshot }) => `Snapshot ID: ${snapshot.id}.`,
    refresh: (client, id, result) =>
      Effect.map(client.snapshots.list(id), ({ data }) => ({
        ...result,
        snapshot: data.find((each) => each.id === result.snapshot.id) ?? result.snapshot
      })),
    ids: ({ snapshot }) => [snapshot.id]
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
    yield* runAction({ id, request: (client) => client.snapshots.restore(id, snapshotId), wait, timeout })
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
    yield* runAction({ id, request: (client) => client.snapshots.delete(id, snapshotId), wait, timeout })
  })
).pipe(
  Command.withDescription("Delete a snapshot"),
  Command.withExamples([{ command: "vps snapshot delete 7 3 --yes" }])
)

export const snapshot = Command.make("snapshot").pipe(
  Command.withDescription("Take, restore, and delete snapshots"),
  Command.withSubcommands([listSnapshots, createSnapshot, restoreSnapshot, deleteSnapshot])
)

const listBackups = instanceCommand(
  "list",
  backups.flags,
  ({ id, ...flags }) => backups.print(call((client) => client.backups.list(id)), flags)
)
  .pipe(
    Command.withDescription("List an instance's nightly backups"),
    Command.withExamples([{ command: "vps backup list 7" }])
  )

const backupId = Argument.Int("backup").pipe(
  Argument.withDescription("ID of the backup; see \"vps backup list\"")
)

const restoreBackup = instanceCommand(
  "restore",
  { backupId, ...Arguments.waits, yes },
  Effect.fnUntraced(function*({ backupId, id, timeout, wait, yes }) {
    yield* confirmDataLoss(yes, `Restore instance ${id} to backup ${backupId}? Changes since then are lost.`)
    yield* runAction({ id, request: (client) => client.backups.restore(id, backupId), wait, timeout })
  })
).pipe(
  Command.withShortDescription("Restore the disk to a backup"),
  Command.withDescription("Restore an instance's disk to a backup. Changes since then are lost."),
  Command.withExamples([{ command: "vps backup restore 7 12 --wait" }])
)

export const backup = Command.make("backup").pipe(
  Command.withDescription("List and restore nightly backups"),
  Command.withSubcommands([listBackups, restoreBackup])
)

const listIsos = instanceCommand(
  "list",
  isos.flags,
  ({ id, ...flags }) => isos.print(call((client) => client.isos.list(id)), flags)
).pipe(
  Command.withDescription("List the ISOs that an instance can mount, and the mounted one"),
  Command.withExamples([{ command: "vps iso list 7" }])
)

const isoId = Argument.Int("iso").pipe(Argument.withDescription("ID of the ISO; see \"vps iso list\""))

const mount = instanceCommand(
  "mount",
  { isoId, ...Arguments.waits },
  ({ id, isoId, ...waits }) =>
    runAction({ id, request: (client) => client.isos.mount(id, { iso_id: isoId }), ...waits })
).pipe(
  Command.withDescription("Mount an ISO in an instance's virtual drive"),
  Command.withExamples([{ command: "vps iso mount 7 2" }])
)

const unmount = instanceCommand(
  "unmount",
  { ...Arguments.waits },
  ({ id, ...waits }) => runAction({ id, request: (client) => client.isos.unmount(id), ...waits })
).pipe(
  Command.withDescription("Unmount the ISO of an instance"),
  Command.withExamples([{ command: "vps iso unmount 7" }])
)

export const iso = Command.make("iso").pipe(
  Command.withDescription("List, mount, and unmount ISOs"),
  Command.withSubcommands([listIsos, mount, unmount])
)
