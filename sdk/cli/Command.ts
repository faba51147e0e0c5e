/** The `vps` command and the helpers that all its subcommands share. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type HostClient, makeHostClient } from "./HostClient.ts"
import { ApiError } from "../client/errors/ApiErrors.ts"
import { VERSION } from "@pulumi-vps/contract/Version"
import { readEnvironment } from "./Environment.ts"
import { debugHooks, resolveConnection } from "./connection/Connection.ts"
import { type Failure, reportFailure } from "./output/FailureReport.ts"
import { OUTPUT_FORMATS, printAs, type View } from "./output/Output.ts"
import { detectCapabilities } from "./terminal/Terminal.ts"

const output = Flag.Literals("output", OUTPUT_FORMATS).pipe(
  Flag.withAlias("o"),
  Flag.withMetavar(OUTPUT_FORMATS.join("|")),
  Flag.withDescription("Output format (default: table)"),
  Flag.withDefault("table")
)

const context = Flag.String("context").pipe(
  Flag.withAlias("c"),
  Flag.withMetavar("name"),
  Flag.withDescription("Saved context to use; overrides the current context and the environment"),
  Flag.optional
)

const debug = Flag.Boolean("debug").pipe(
  Flag.withDescription("Print each request to standard error, without secrets"),
  Flag.withDefault(false)
)

/** The root command, with the global flags. */
export const vps = Command.make("vps").pipe(
  Command.withSharedFlags({ output, context, debug }),
  Command.withDescription("Manage VPS instances from a terminal or a script."),
  Command.withExamples([
    { command: "vps login --base-url https://host.example/api/v1" },
    { command: "vps plan list" },
    { command: "vps instance create --plan vps-s --os debian-13 --wait" },
    { command: "vps instance list -o json" }
  ])
)

/** A failure that was already printed. */
export class ReportedError extends Data.TaggedError("ReportedError")<{ readonly exit: number }> {}

/** Chosen once for the whole invocation. */
const connection = Effect.runSync(Effect.cached(Effect.gen(function*() {
  const { context } = yield* vps
  return yield* resolveConnection(readEnvironment(), Option.getOrUndefined(context))
})))

/** The report of a failure. Its message follows `subject`. */
export const describeFailure = Effect.fnUntraced(function*(failure: Failure, subject = "") {
  const origin = failure instanceof ApiError ? Option.getOrUndefined(yield* Effect.option(connection)) : undefined
  return reportFailure(failure, detectCapabilities(process.stderr, readEnvironment()), { origin, subject })
})

const report = Effect.fnUntraced(function*(failure: Failure) {
  const { output: format } = yield* vps
  const { document, exit, text } = yield* describeFailure(failure)
  yield* Effect.sync(() => void process.stderr.write(format === "json" ? document : text))
  return yield* new ReportedError({ exit })
})

/** A subcommand. Its failures are printed as text or, with `-o json`, as JSON. */
export const command = <const Name extends string, const Config extends Command.Command.Config, R>(
  name: Name,
  config: Config,
  run: (input: Command.Command.Config.Infer<Config>) => Effect.Effect<void, Failure | ReportedError, R>
) =>
  Command.make(
    name,
    config,
    (input) =>
      run(input).pipe(
        Effect.catch((failure) => failure instanceof ReportedError ? Effect.fail(failure) : report(failure))
      )
  )

/** The client for the service and account of this invocation, made once, so that its connection is reused. */
export const getClient = Effect.runSync(Effect.cached(Effect.gen(function*() {
  const { apiKey, baseUrl, context } = yield* connection
  const { debug } = yield* vps
  const settings = { apiKey, baseUrl, userAgent: `vps/${VERSION}` }
  return makeHostClient(debug ? { ...settings, hooks: debugHooks(baseUrl, context) } : settings)
})))

type Request<A, E> = (client: HostClient) => Effect.Effect<{ readonly data: A }, E>

/** Sends a request and returns the data of its response. */
export const call = <A, E>(request: Request<A, E>) =>
  Effect.flatMap(getClient, (client) => Effect.map(request(client), ({ data }) => data))

/** Prints a result in the format of `--output`. */
export const print = <A>(result: A, view: View<A>) =>
  Effect.flatMap(vps, ({ output: format }) => printAs(format, result, view))

/** True when a person reads the output, so that notes are useful. */
export const isHumanOutput = Effect.map(vps, ({ output: format }) => format === "table")

/** Sends a request and prints the data of its response. */
export const callAndPrint = <A, E>(request: Request<A, E>, view: View<A>) =>
  Effect.flatMap(call(request), (result) => print(result, view))

/** The panel's address, when a person reads the output and the service has one. */
export const panelForPeople = Effect.gen(function*() {
  if (!(yield* isHumanOutput)) return undefined
  const root = call((client) => client.account.root())
  return yield* root.pipe(
    Effect.map(({ panel_url }): string | undefined => panel_url),
    Effect.orElseSucceed(() => undefined)
  )
})
