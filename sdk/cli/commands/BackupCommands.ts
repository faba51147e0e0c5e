/** `vps backup`. */
import * as Arguments from "../shared/Arguments.ts"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { confirmDataLoss, yes } from "../terminal/Terminal.ts"
import { call } from "../Command.ts"
import type { HostClient } from "../HostClient.ts"
import { runAction } from "../shared/Action.ts"
import { instanceCommand } from "../shared/Selection.ts"
import { backups, rowsOf } from "../shared/Views.ts"

const listBackups = instanceCommand(
  "list",
  backups.flags,
  ({ id, ...flags }) => backups.print(rowsOf("backups", call((client) => client.backups.list(id))), flags)
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
    const request = (client: HostClient) => client.backups.restore(id, backupId)
    yield* runAction({ id, action: "backup restore", request, wait, timeout })
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
