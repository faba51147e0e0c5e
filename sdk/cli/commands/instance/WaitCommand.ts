/** `vps instance wait`: waits until an instance is provisioned and idle. */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { EXIT } from "../../errors/ExitCode.ts"
import { CommandError } from "../../errors/CommandError.ts"
import { getClient } from "../../Command.ts"
import { withProgress } from "../../output/Progress.ts"
import { waitUntilIdle } from "../../shared/Action.ts"
import * as Arguments from "../../shared/Arguments.ts"
import { instanceCommand } from "../../shared/InstanceCommand.ts"
import { printInstance } from "../../shared/Currency.ts"

/** States that an instance never leaves. */
const TERMINAL_STATES = new Set(["failed", "deleted"])

const run = Effect.fnUntraced(function*(id: number, timeout: number) {
  const client = yield* getClient
  const { status } = yield* withProgress((report) => waitUntilIdle(client, id, timeout, report))
  if (TERMINAL_STATES.has(status)) {
    const hint = `See its tasks: vps instance tasks ${id}`
    return yield* new CommandError({ message: `Instance ${id} is ${status}.`, hint, exit: EXIT.failed })
  }
  yield* printInstance((yield* client.instances.get(id)).data)
})

export const wait = instanceCommand("wait", { timeout: Arguments.timeout }, ({ id, timeout }) => run(id, timeout)).pipe(
  Command.withShortDescription("Wait until an instance is ready"),
  Command.withDescription(
    "Wait until an instance is provisioned and none of its tasks is running, then show it. The exit code is 124 after "
      + "--timeout, and 1 when the instance has failed."
  ),
  Command.withExamples([
    { command: "vps instance wait 7" },
    { command: "vps instance restart 7 && vps instance wait 7 --timeout 120" }
  ])
)
