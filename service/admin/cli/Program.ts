/** The program of `vps-service admin` and `vps-service config`, for one command line. */
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

/** Exit codes. */
export const EXIT = { success: 0, failure: 1, usage: 2 }

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

/** Runs the command that these words are; returns the exit code. */
export const program = (words: ReadonlyArray<string>): Effect.Effect<number> => {
  const command = Command.make("vps-service").pipe(
    Command.withDescription("A VPS hosting service with an HTTP API"),
    Command.withSubcommands([admin.pipe(Command.withSubcommands(groupsFor(words))), config])
  )
  return Command.runWith(command, { version: API_VERSION })(words).pipe(
    Effect.as(EXIT.success),
    Effect.catchCause(codeOf),
    Effect.provide(
      Layer.mergeAll(
        NodeServices.layer,
        CliOutput.layerPresenter(presenterOf(words)),
        CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Completions] })
      )
    )
  )
}
