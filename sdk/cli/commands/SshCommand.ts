/** `vps instance ssh`: the system's own ssh, with the address of an instance. */
import type { Instance } from "#contract/Instance"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { isIP } from "node:net"
import { constants } from "node:os"
import type { Client } from "../../client/Client.ts"
import { isUnrecoverable, provisioningFailed } from "../../client/wait/InstanceGoal.ts"
import { EXIT } from "../ExitCode.ts"
import { Refusal } from "../Refusal.ts"
import { client, leaf, Reported } from "../Root.ts"
import { withProgress } from "../terminal/Progress.ts"
import * as Arguments from "./Arguments.ts"
import { addressOf } from "./Details.ts"

/** What a shell answers for a program that a signal ended. */
const SIGNALLED = 128

const ready = (instance: Instance): boolean => addressOf(instance) !== undefined || isUnrecoverable(instance)

/** The instance once it can be reached; a machine that is deploying already needs a minute or two. */
const reachable = Effect.fnUntraced(function*(core: Client, id: number, waitTimeout: number) {
  const { data: found } = yield* core.instances.get(id)
  if (ready(found)) return found
  const { data } = yield* withProgress((say) =>
    core.instances.waitUntil(id, ready, {
      waitTimeout,
      onProgress: ({ status }) => say(`Instance ${id} is ${status}`)
    })
  )
  return data
})

const missing = (cause: NodeJS.ErrnoException) =>
  new Refusal({
    message: cause.code === "ENOENT" ? "There is no ssh on this machine." : `ssh did not start: ${cause.message}`,
    hint: "Install OpenSSH's client, or connect to the address that \"vps instance get\" shows.",
    exit: EXIT.failed
  })

/** Hands the terminal over, and answers with the exit code of ssh. */
const run = (args: ReadonlyArray<string>): Effect.Effect<number, Refusal> =>
  Effect.callback((resume) => {
    const child = spawn("ssh", args, { stdio: "inherit" })
    child.once("error", (cause) => resume(Effect.fail(missing(cause))))
    child.once("exit", (code, signal) =>
      resume(Effect.succeed(code ?? SIGNALLED + (signal === null ? 0 : constants.signals[signal]))))
    return Effect.sync(() =>
      void child.kill()
    )
  })

const connect = Effect.fnUntraced(
  function*(id: number, user: string, waitTimeout: number, more: ReadonlyArray<string>) {
    const core = yield* client
    const instance = yield* reachable(core, id, waitTimeout)
    const address = addressOf(instance)
    if (address === undefined) return yield* Effect.fail(provisioningFailed(instance))
    // Anything else could be an option of ssh, and make it run what it likes.
    if (isIP(address) === 0) return yield* new Refusal({ message: `"${address}" is no address.`, exit: EXIT.failed })
    // Behind the address ssh takes options as well, up to the command.
    const code = yield* run(["-l", user, address, ...more])
    if (code !== 0) return yield* new Reported({ exit: code })
  }
)

export const ssh = leaf("ssh", {
  id: Arguments.instance,
  user: Flag.String("user").pipe(
    Flag.withAlias("l"),
    Flag.withMetavar("name"),
    Flag.withDescription("Whom to log in as (default: root)"),
    Flag.withDefault("root")
  ),
  timeout: Arguments.timeout,
  args: Argument.String("args").pipe(
    Argument.withDescription("After --: options of ssh, or the command to run there"),
    Argument.variadic()
  )
}, ({ args, id, timeout, user }) => connect(id, user, timeout, args)).pipe(
  Command.withShortDescription("Log in to an instance with the system's ssh"),
  Command.withDescription(
    "Log in to an instance with the system's ssh, by IPv4 or, without one, by IPv6. Waits while it deploys. The exit "
      + "code is that of ssh."
  ),
  Command.withExamples([
    { command: "vps instance ssh 7" },
    { command: "vps instance ssh 7 -- uptime", description: "Run a command there" },
    { command: "vps instance ssh 7 -- -i ~/.ssh/other -L 8080:localhost:80", description: "With options of ssh" }
  ])
)
