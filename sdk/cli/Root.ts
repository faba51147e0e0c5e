/** `vps`: what all its commands have in common. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Client, makeClient } from "../client/Client.ts"
import { VERSION } from "../client/Version.ts"
import { environmentOf } from "./Config.ts"
import { connectionOf } from "./Connection.ts"
import { explain, type Failure } from "./Explain.ts"
import { FORMATS, show, type View } from "./output/Show.ts"
import { surfaceOf } from "./terminal/Surface.ts"

const output = Flag.Literals("output", FORMATS).pipe(
  Flag.withAlias("o"),
  Flag.withMetavar(FORMATS.join("|")),
  Flag.withDescription("How the result is printed (default: table)"),
  Flag.withDefault("table")
)

const context = Flag.String("context").pipe(
  Flag.withAlias("c"),
  Flag.withMetavar("name"),
  Flag.withDescription("The saved context to use, instead of the current one and the environment"),
  Flag.optional
)

/** The command above all others; it holds what they share. */
export const vps = Command.make("vps").pipe(
  Command.withSharedFlags({ output, context }),
  Command.withDescription("Manage virtual private servers from a terminal or a script."),
  Command.withExamples([
    { command: "vps login --base-url https://host.example/api/v1" },
    { command: "vps plan list" },
    { command: "vps instance create --plan vps-s --os debian-13 --wait" },
    { command: "vps instance list -o json" }
  ])
)

/** The command has failed, and has said why. */
export class Reported extends Data.TaggedError("Reported")<{ readonly exit: number }> {}

const report = Effect.fnUntraced(function*(failure: Failure) {
  const { output: format } = yield* vps
  const { document, exit, text } = explain(failure, surfaceOf(process.stderr, environmentOf()))
  yield* Effect.sync(() => void process.stderr.write(format === "json" ? document : text))
  return yield* new Reported({ exit })
})

/** A command that does something: whatever it fails with is told in the way the person or program asked for. */
export const leaf = <const Name extends string, const Config extends Command.Command.Config, R>(
  name: Name,
  config: Config,
  run: (input: Command.Command.Config.Infer<Config>) => Effect.Effect<void, Failure | Reported, R>
) =>
  Command.make(
    name,
    config,
    (input) =>
      run(input).pipe(Effect.catch((failure) => failure instanceof Reported ? Effect.fail(failure) : report(failure)))
  )

/** The client of the host and account that this command is for. */
export const client = Effect.gen(function*() {
  const { context } = yield* vps
  const { apiKey, baseUrl } = yield* connectionOf(environmentOf(), Option.getOrUndefined(context))
  return makeClient({ apiKey, baseUrl, userAgent: `vps/${VERSION}` })
})

type Answered<A, E> = (core: Client) => Effect.Effect<{ readonly data: A }, E>

/** Asks the service for something, and answers its data. */
export const ask = <A, E>(question: Answered<A, E>) =>
  Effect.flatMap(client, (core) => Effect.map(question(core), ({ data }) => data))

/** Prints a result in the format that was asked for. */
export const print = <A>(result: A, view: View<A>) =>
  Effect.flatMap(vps, ({ output: format }) => show(format, result, view))

/** Whether a person reads the result, who may be told more than the result. */
export const forPeople = Effect.map(vps, ({ output: format }) => format === "table")

/** Asks the service for something, and prints it. */
export const present = <A, E>(question: Answered<A, E>, view: View<A>) =>
  Effect.flatMap(ask(question), (result) => print(result, view))
