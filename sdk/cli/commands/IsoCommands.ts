/** `vps iso`. */
import * as Arguments from "../shared/Arguments.ts"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { call } from "../Command.ts"
import { runAction } from "../shared/Action.ts"
import { instanceCommand } from "../shared/Selection.ts"
import { isos, rowsOf } from "../shared/Views.ts"

const listIsos = instanceCommand(
  "list",
  isos.flags,
  ({ id, ...flags }) => isos.print(rowsOf("ISOs", call((client) => client.isos.list(id))), flags)
).pipe(
  Command.withDescription("List the ISOs that an instance can mount, and the mounted one"),
  Command.withExamples([{ command: "vps iso list 7" }])
)

const isoId = Argument.Int("iso").pipe(Argument.withDescription("ID of the ISO; see \"vps iso list\""))

const mount = instanceCommand(
  "mount",
  { isoId, ...Arguments.waits },
  ({ id, isoId, ...waits }) =>
    runAction({ id, action: "iso mount", request: (client) => client.isos.mount(id, { iso_id: isoId }), ...waits })
).pipe(
  Command.withDescription("Mount an ISO in an instance's virtual drive"),
  Command.withExamples([{ command: "vps iso mount 7 2" }])
)

const unmount = instanceCommand(
  "unmount",
  { ...Arguments.waits },
  ({ id, ...waits }) => runAction({ id, action: "iso unmount", request: (client) => client.isos.unmount(id), ...waits })
).pipe(
  Command.withDescription("Unmount the ISO of an instance"),
  Command.withExamples([{ command: "vps iso unmount 7" }])
)

export const iso = Command.make("iso").pipe(
  Command.withDescription("List, mount, and unmount ISOs"),
  Command.withSubcommands([listIsos, mount, unmount])
)
