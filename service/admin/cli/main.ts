/** The commands `vps-service admin` and `vps-service config`, loaded only if one of them is used. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { API_VERSION } from "@pulumi-vps/contract/Api"
import { admin } from "./AdminCommand.ts"
import { CommandRejected } from "../Input.ts"
import { config } from "./ConfigCommand.ts"
import { groupsFor } from "./Groups.ts"
import { InvalidSetting } from "../../config/Setting.ts"
import { printError } from "./Output.ts"
import { presenterOf } from "./Presenter.ts"

const words = process.argv.slice(2)

const command = Command.make("vps-service").pipe(
  Command.withDescription("A VPS hosting service with an HTTP API"),
  Command.withSubcommands([admin.pipe(Command.withSubcommands(groupsFor(words))), config])
)

/** Exit codes. */
const EXIT = { success: 0, failure: 1, usage: 2 }

const hasMessage = (error: unknown): error is { readonly _tag: string; readonly message: string } =>
  typeof error === "object" && error !== null && "_tag" in error && "message" in error

const isHelp = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "ShowHelp"

/** Prints the message of an expected error, and the stack trace of a bug. */
const codeOf = Effect.fnUntraced(function*(cause: Cause.Cause<unknown>) {
  const error = Cause.squash(cause)
  // Naming a group without a subcommand shows its help, which is not an error.
  if (isHelp(error)) return (error as { readonly errors: ReadonlyArray<unknown> }).errors.length > 0 ? EXIT.usage : 0
  yield* printError(hasMessage(error) ? error.message : Cause.pretty(cause))
  const isUsage = (error instanceof CommandRejected || error instanceof InvalidSetting) && error.isUsage
  return isUsage ? EXIT.usage : EXIT.failure
})

// A reader like `head` may close the pipe early, which is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(EXIT.success)
  process.exit(EXIT.failure)
})

const program = Command.runWith(command, { version: API_VERSION })(words).pipe(
  Effect.as(EXIT.success),
  Effect.catchCause(codeOf),
  Effect.tap((code) => Effect.sync(() => void (process.exitCode = code))),
  Effect.provide(
    Layer.mergeAll(
      NodeServices.layer,
      CliOutput.layerPresenter(presenterOf(words)),
      CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Completions] })
    )
  )
)

NodeRuntime.runMain(program, { disableErrorReporting: true })
