/** Snapshots, backups and ISOs: what can be put onto an instance's disk, or into its drive. */
import type { SnapshotResult } from "#contract/Snapshots"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { confirmLoss, yes } from "../Confirm.ts"
import { leaf, present } from "../Root.ts"
import { acted } from "./Act.ts"
import * as Arguments from "./Arguments.ts"
import { backups, isos, snapshots } from "./Views.ts"

const id = Arguments.instance

const snapshotId = Argument.Int("snapshot").pipe(
  Argument.withDescription("The snapshot's id, as \"vps snapshot list\" shows it")
)

const listSnapshots = leaf("list", { id }, ({ id }) => present((core) => core.snapshots.list(id), snapshots)).pipe(
  Command.withDescription("List an instance's snapshots"),
  Command.withExamples([{ command: "vps snapshot list 7" }])
)

const createSnapshot = leaf("create", {
  id,
  name: Flag.String("name").pipe(Flag.withDescription("What to call it, for people")),
  ...Arguments.waits
}, ({ id, name, ...waits }) =>
  acted<SnapshotResult>({
    id,
    act: (core) => core.snapshots.create(id, { name }),
    more: ({ snapshot }) => `It is snapshot ${snapshot.id}.`,
    refresh: (core, result) =>
      Effect.map(core.snapshots.list(id), ({ data }) => ({
        ...result,
        snapshot: data.find((each) => each.id === result.snapshot.id) ?? result.snapshot
      })),
    ids: ({ snapshot }) => [snapshot.id],
    ...waits
  })).pipe(
    Command.withShortDescription("Take a snapshot of an instance's disk"),
    Command.withDescription(
      "Take a snapshot of an instance's disk. How many it may have, \"vps instance status\" shows."
    ),
    Command.withExamples([{ command: "vps snapshot create 7 --name before-upgrade --wait" }])
  )

const restoreSnapshot = leaf(
  "restore",
  { id, snapshotId, ...Arguments.waits, yes },
  Effect.fnUntraced(function*({ id, snapshotId, timeout, wait, yes }) {
    yield* confirmLoss(
      yes,
      `Put instance ${id} back to snapshot ${snapshotId}? What was written since then is lost.`
    )
    yield* acted({ id, act: (core) => core.snapshots.restore(id, snapshotId), wait, timeout })
  })
).pipe(
  Command.withShortDescription("Put the disk back to a snapshot"),
  Command.withDescription("Put an instance's disk back to a snapshot. What was written since then is lost."),
  Command.withExamples([{ command: "vps snapshot restore 7 3 --wait" }])
)

const deleteSnapshot = leaf(
  "delete",
  { id, snapshotId, ...Arguments.waits, yes },
  Effect.fnUntraced(function*({ id, snapshotId, timeout, wait, yes }) {
    yield* confirmLoss(yes, `Delete snapshot ${snapshotId} of instance ${id}? It cannot be brought back.`)
    yield* acted({ id, act: (core) => core.snapshots.delete(id, snapshotId), wait, timeout })
  })
).pipe(
  Command.withDescription("Delete a snapshot"),
  Command.withExamples([{ command: "vps snapshot delete 7 3 --yes" }])
)

export const snapshot = Command.make("snapshot").pipe(
  Command.withDescription("Take, restore and delete snapshots"),
  Command.withSubcommands([listSnapshots, createSnapshot, restoreSnapshot, deleteSnapshot])
)

const listBackups = leaf("list", { id }, ({ id }) => present((core) => core.backups.list(id), backups)).pipe(
  Command.withDescription("List an instance's backups, which the host makes every night"),
  Command.withExamples([{ command: "vps backup list 7" }])
)

const backupId = Argument.Int("backup").pipe(
  Argument.withDescription("The backup's id, as \"vps backup list\" shows it")
)

const restoreBackup = leaf(
  "restore",
  { id, backupId, ...Arguments.waits, yes },
  Effect.fnUntraced(function*({ backupId, id, timeout, wait, yes }) {
    yield* confirmLoss(yes, `Put instance ${id} back to backup ${backupId}? What was written since then is lost.`)
    yield* acted({ id, act: (core) => core.backups.restore(id, backupId), wait, timeout })
  })
).pipe(
  Command.withShortDescription("Put the disk back to a backup"),
  Command.withDescription("Put an instance's disk back to a backup. What was written since then is lost."),
  Command.withExamples([{ command: "vps backup restore 7 12 --wait" }])
)

export const backup = Command.make("backup").pipe(
  Command.withDescription("See and restore nightly backups"),
  Command.withSubcommands([listBackups, restoreBackup])
)

const listIsos = leaf("list", { id }, ({ id }) => present((core) => core.isos.list(id), isos)).pipe(
  Command.withDescription("List the ISOs that an instance can mount, and which one is mounted"),
  Command.withExamples([{ command: "vps iso list 7" }])
)

const isoId = Argument.Int("iso").pipe(Argument.withDescription("The ISO's id, as \"vps iso list\" shows it"))

const mount = leaf(
  "mount",
  { id, isoId, ...Arguments.waits },
  ({ id, isoId, ...waits }) => acted({ id, act: (core) => core.isos.mount(id, { iso_id: isoId }), ...waits })
).pipe(
  Command.withDescription("Put an ISO into an instance's virtual drive"),
  Command.withExamples([{ command: "vps iso mount 7 2" }])
)

const unmount = leaf(
  "unmount",
  { id, ...Arguments.waits },
  ({ id, ...waits }) => acted({ id, act: (core) => core.isos.unmount(id), ...waits })
).pipe(
  Command.withDescription("Empty an instance's virtual drive"),
  Command.withExamples([{ command: "vps iso unmount 7" }])
)

export const iso = Command.make("iso").pipe(
  Command.withDescription("Mount installation images"),
  Command.withSubcommands([listIsos, mount, unmount])
)
