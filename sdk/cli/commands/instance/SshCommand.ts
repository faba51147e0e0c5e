/** `vps instance ssh`: runs the system's ssh with the address of an instance. */
import type { Instance } from "@pulumi-vps/contract/Instance"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { isIP } from "node:net"
import { constants } from "node:os"
import type { HostClient } from "../../HostClient.ts"
import { isUnrecoverable, provisioningFailed } from "../../../client/wait/Wait.ts"
import { CommandError, EXIT } from "../../errors/CommandError.ts"
import { getClient, ReportedError } from "../../Command.ts"
import { withProgress } from "../../output/Output.ts"
import * as Arguments from "../../shared/Arguments.ts"
import { instanceCommand } from "../../shared/Selection.ts"
import { addressOf } from "../../shared/Views.ts"

/** Shells report 128 plus the signal number for a program that a signal ended. */
const SIGNAL_EXIT_BASE = 128

const isReachable = (instance: Instance): boolean => addressOf(instance) !== undefined || isUnrecoverable(instance)

/** Waits until the instance has an address: provisioning takes a minute or two. */
const waitUntilReachable = Effect.fnUntraced(function*(client: HostClient, id: number, waitTimeout: number) {
  const { data: found } = yield* client.instances.get(id)
  if (isReachable(found)) return found
  const { data } = yield* withProgress((report) =>
    client.instances.waitUntil(id, isReachable, {
      waitTimeout,
      onProgress: ({ status }) => report(`Instance ${id} is ${status}`)
    })
  )
  return data
})

const startError = (cause: NodeJS.ErrnoException) =>
  new CommandError({
    message: cause.code === "ENOENT" ? "ssh is not installed." : `ssh failed to start: ${cause.message}`,
    hint: "Install the OpenSSH client, or connect to the address that \"vps instance get\" shows.",
    exit: EXIT.failed
  })

/** Runs ssh in the foreground and returns its exit code. */
const run = (args: ReadonlyArray<string>): Effect.Effect<number, CommandError> =>
  Effect.callback((resume) => {
    const child = spawn("ssh", args, { stdio: "inherit" })
    child.once("error", (cause) => resume(Effect.fail(startError(cause))))
    child.once("exit", (code, signal) =>
      resume(Effect.succeed(code ?? SIGNAL_EXIT_BASE + (signal === null ? 0 : constants.signals[signal]))))
    return Effect.sync(() =>
      void child.kill()
    )
  })

const connect = Effect.fnUntraced(
  function*(id: number, user: string, waitTimeout: number, args: ReadonlyArray<string>) {
    const client = yield* getClient
    const instance = yield* waitUntilReachable(client, id, waitTimeout)
    const address = addressOf(instance)
    if (address === undefined) return yield* Effect.fail(provisioningFailed(instance))
    // Anything else could be an option of ssh that runs a command.
    if (isIP(address) === 0) {
      return yield* new CommandError({ message: `"${address}" is not an IP address.`, exit: EXIT.failed })
    }
    // ssh accepts options after the address, too, up to the command.
    const code = yield* run(["-l", user, address, ...args])
    if (code !== 0) return yield* new ReportedError({ exit: code })
  }
)

export const ssh = instanceCommand("ssh", {
  user: Flag.String("user").pipe(
    Flag.withAlias("l"),
    Flag.withMetavar("name"),
    Flag.withDescription("User to log in as (default: root)"),
    Flag.withDefault("root")
  ),
  timeout: Arguments.timeout,
  args: Argument.String("args").pipe(
    Argument.withDescription("After --: options for ssh, or the command to run"),
    Argument.variadic()
  )
}, ({ args, id, timeout, user }) => connect(id, user, timeout, args)).pipe(
  Command.withShortDescription("Log in to an instance with the system's ssh"),
  Command.withDescription(
    "Log in to an instance with the system's ssh, over IPv4 or, without an IPv4 address, IPv6. Waits for "
      + "provisioning. The exit code is that of ssh."
  ),
  Command.withExamples([
    { command: "vps instance ssh 7" },
    { command: "vps instance ssh 7 -- uptime", description: "Run a command" },
    { command: "vps instance ssh 7 -- -i ~/.ssh/other -L 8080:localhost:80", description: "Pass options to ssh" }
  ])
)
