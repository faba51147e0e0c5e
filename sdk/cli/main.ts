/** The program: its commands, and what the shell hears of them. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as CliConfig from "effect/cli/CliConfig"
import type { ShowHelp } from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { VERSION } from "../client/Version.ts"
import { context, whoami } from "./commands/AccountCommands.ts"
import { os, plan } from "./commands/CatalogueCommands.ts"
import { completions } from "./commands/CompletionsCommand.ts"
import { backup, iso, snapshot } from "./commands/DiskCommands.ts"
import { instance } from "./commands/InstanceCommands.ts"
import { login } from "./commands/LoginCommand.ts"
import { rdns, rescue } from "./commands/NetworkCommands.ts"
import { pulumi } from "./commands/PulumiCommand.ts"
import { EXIT } from "./ExitCode.ts"
import { presenter } from "./Help.ts"
import { note } from "./output/Show.ts"
import { Reported, vps } from "./Root.ts"

const command = vps.pipe(Command.withSubcommands([
  login,
  context,
  whoami,
  plan,
  os,
  instance,
  snapshot,
  backup,
  iso,
  rdns,
  rescue,
  pulumi,
  completions((): Command.Command.Any => command)
]))

const isHelp = (error: unknown): error is ShowHelp =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "ShowHelp"

/** What a command failed with is told already; what is left is usage, and defects, which keep their trace. */
const codeOf = (cause: Cause.Cause<unknown>): Effect.Effect<number> => {
  const error = Cause.squash(cause)
  if (error instanceof Reported) return Effect.succeed(error.exit)
  // Naming a group only asks for its help, which is no mistake.
  if (isHelp(error)) return Effect.succeed(error.errors.length > 0 ? EXIT.usage : EXIT.done)
  return Effect.as(note(`vps: this is a defect of vps, please report it\n${Cause.pretty(cause)}`), EXIT.failed)
}

// A reader that has seen enough (head) closes the pipe; that is no failure of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : EXIT.failed))

const program = Command.runWith(command, { version: VERSION })(process.argv.slice(2)).pipe(
  Effect.as<number>(EXIT.done),
  Effect.catchCause((cause) => Cause.hasInterruptsOnly(cause) ? Effect.succeed(EXIT.interrupted) : codeOf(cause)),
  // The exit code is set, and the process left to end by itself: what it has written still has to go out.
  Effect.tap((code) => Effect.sync(() => void (process.exitCode = code))),
  Effect.provide(
    Layer.mergeAll(
      NodeServices.layer,
      CliOutput.layerPresenter(presenter),
      CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] })
    )
  )
)

NodeRuntime.runMain(program, { disableErrorReporting: true })
