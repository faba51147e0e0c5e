/** `vps instance wait`: until an instance is deployed and nothing is under way at it. */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { EXIT } from "../ExitCode.ts"
import { Refusal } from "../Refusal.ts"
import { client, leaf, print } from "../Root.ts"
import { settle } from "./Act.ts"
import * as Arguments from "./Arguments.ts"
import { instance as instanceView } from "./Views.ts"

/** Nothing is under way there, and never will be. */
const LOST = new Set(["failed", "deleted"])

const run = Effect.fnUntraced(function*(id: number, timeout: number) {
  const core = yield* client
  const { status } = yield* settle(core, id, timeout)
  if (LOST.has(status)) {
    const hint = `What happened there: vps instance tasks ${id}`
    return yield* new Refusal({ message: `Instance ${id} is ${status}.`, hint, exit: EXIT.failed })
  }
  yield* print((yield* core.instances.get(id)).data, instanceView)
})

export const wait = leaf(
  "wait",
  { id: Arguments.instance, timeout: Arguments.timeout },
  ({ id, timeout }) => run(id, timeout)
).pipe(
  Command.withShortDescription("Wait until an instance is ready"),
  Command.withDescription(
    "Wait until an instance is deployed and no task is under way, then show it. Exit code 124 when that takes longer "
      + "than --timeout, 1 when the instance has failed."
  ),
  Command.withExamples([
    { command: "vps instance wait 7" },
    { command: "vps instance restart 7 && vps instance wait 7 --timeout 120" }
  ])
)
