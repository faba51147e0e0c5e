/** The program: the tree of commands, and their exit codes. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as CliConfig from "effect/cli/CliConfig"
import type { ShowHelp } from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { VERSION } from "@pulumi-vps/contract/Version"
import { account, os, plan, whoami } from "./commands/AccountCommands.ts"
import { COMPLETE, complete, completions } from "./completion/Completions.ts"
import { context, login, logout } from "./commands/ContextCommands.ts"
import { backup } from "./commands/BackupCommands.ts"
import { iso } from "./commands/IsoCommands.ts"
import { snapshot } from "./commands/SnapshotCommands.ts"
import { instance } from "./commands/instance/InstanceCommands.ts"
import { rdns } from "./commands/RdnsCommands.ts"
import { rescue } from "./commands/RescueCommands.ts"
import { pulumi } from "./commands/PulumiCommand.ts"
import { terraform } from "./commands/TerraformCommand.ts"
import { readLine } from "./line/CommandLine.ts"
import { EXIT } from "./errors/CommandError.ts"
import { sanitizeLines } from "./terminal/Terminal.ts"
import { presenterOf } from "./output/Help.ts"
import { printNote } from "./output/Output.ts"
import { ReportedError, vps } from "./Command.ts"

const cli = vps.pipe(Command.withSubcommands([
  login,
  logout,
  context,
  whoami,
  account,
  plan,
  os,
  instance,
  snapshot,
  backup,
  iso,
  rdns,
  rescue,
  pulumi,
  terraform,
  completions
]))

const isHelp = (error: unknown): error is ShowHelp =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "ShowHelp"

/** Failures of commands were printed already. The rest is wrong usage, and bugs, which are printed with their trace. */
const exitCodeOf = (cause: Cause.Cause<unknown>): Effect.Effect<number> => {
  const error = Cause.squash(cause)
  if (error instanceof ReportedError) return Effect.succeed(error.exit)
  // A group without a subcommand prints its help, which is not an error.
  if (isHelp(error)) return Effect.succeed(error.errors.length > 0 ? EXIT.usage : EXIT.success)
  // The message of a bug may contain a part of a response.
  const trace = sanitizeLines(Cause.pretty(cause))
  return Effect.as(printNote(`vps: this is a bug in vps. Please report it.\n${trace}`), EXIT.failed)
}

// A reader such as head may close the pipe early, which is not a failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : EXIT.failed))

// Where the terminal is gone, messages are lost, which is no reason to end before what is under way is cleaned up.
process.stderr.on("error", () => {})

// A terminal or an SSH session that ends interrupts like Ctrl-C: a purchase under way prints its key into the log.
process.on("SIGHUP", () => {
  if (!process.emit("SIGTERM", "SIGTERM")) process.exit(EXIT.interrupted)
})

const [first, ...others] = process.argv.slice(2)
const line = readLine(Completions.fromCommand(cli), process.argv.slice(2))
const chosen = first === COMPLETE ? complete(cli, others) : Command.runWith(cli, { version: VERSION })(line.words)

const program = chosen.pipe(
  Effect.as<number>(EXIT.success),
  Effect.catchCause((cause) => Cause.hasInterruptsOnly(cause) ? Effect.succeed(EXIT.interrupted) : exitCodeOf(cause)),
  // Setting the exit code instead of calling exit() lets pending output drain.
  Effect.tap((code) => Effect.sync(() => void (process.exitCode = code))),
  Effect.provide(
    Layer.mergeAll(
      NodeServices.layer,
      CliOutput.layerPresenter(presenterOf(line)),
      CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] })
    )
  )
)

NodeRuntime.runMain(program, { disableErrorReporting: true })
