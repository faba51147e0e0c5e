/** `vps login`, `vps logout`, and `vps context`: verifies an API key with the service, and saves it as a context. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Flag from "effect/cli/Flag"
import { readEnvironment } from "../Environment.ts"
import {
  type Contexts,
  findContext,
  readContexts,
  updateContexts,
  validateContextName
} from "../connection/Connection.ts"
import { printNote } from "../output/Output.ts"
import { List, type ListFlags } from "../output/List.ts"
import { didYouMean } from "../../Suggestions.ts"
import { CommandError, EXIT, notFoundError, usageError } from "../errors/CommandError.ts"
import { command, print, vps } from "../Command.ts"
import { makeHostClient } from "../HostClient.ts"
import { VERSION } from "@pulumi-vps/contract/Version"
import { canHideInput, isInteractive, promptHidden, promptLine, standardInput } from "../terminal/Terminal.ts"
import { whoamiView } from "./AccountCommands.ts"

/** A context for output, with a redacted key. */
interface SavedContext {
  readonly name: string
  readonly current: boolean
  readonly base_url: string
  readonly key: string
}

/** Characters of a key that identify it without revealing it. */
const KEY_SUFFIX_LENGTH = 4

const redacted = ({ contexts, current }: Contexts): ReadonlyArray<SavedContext> =>
  Object.entries(contexts).toSorted(([a], [b]) => a.localeCompare(b)).map(([name, { api_key, base_url }]) => ({
    name,
    current: name === current,
    base_url,
    key: `...${api_key.slice(-KEY_SUFFIX_LENGTH)}`
  }))

const contexts = new List<SavedContext>([
  { title: "CURRENT", value: ({ current }) => current ? "*" : "", style: () => "green" },
  { title: "NAME", value: ({ name }) => name, whole: true },
  { title: "BASE URL", value: ({ base_url }) => base_url, keep: true },
  { title: "KEY", value: ({ key }) => key }
], ({ name }) => name)

const list = Effect.fnUntraced(function*(flags?: ListFlags) {
  const { apiKey, baseUrl, contextFile } = readEnvironment()
  yield* contexts.print(Effect.map(readContexts(contextFile), redacted), flags)
  if (apiKey !== undefined) yield* printNote("VPS_API_KEY is set and overrides the current context.")
  if (baseUrl !== undefined) yield* printNote("VPS_BASE_URL is set and overrides the current context.")
})

const name = Argument.String("context").pipe(Argument.withDescription("The context's name"))

const change = (name: string, next: (all: Contexts) => Contexts): Effect.Effect<Contexts, CommandError> =>
  Effect.gen(function*() {
    const { contextFile } = readEnvironment()
    const all = yield* readContexts(contextFile)
    if (findContext(all, name) === undefined) {
      return yield* notFoundError(`Context "${name}" not found.`, didYouMean(name, Object.keys(all.contexts)))
    }
    return yield* updateContexts(contextFile, next)
  })

const use = command("use", { name }, ({ name }) =>
  Effect.flatMap(
    change(name, (all) => ({ ...all, current: name })),
    (all) => contexts.print(Effect.succeed(redacted(all)))
  )).pipe(
    Command.withDescription("Select the current context"),
    Command.withExamples([{ command: "vps context use staging" }])
  )

const without = (all: Contexts, name: string): Contexts => ({
  current: all.current === name ? null : all.current,
  contexts: Object.fromEntries(Object.entries(all.contexts).filter(([each]) => each !== name))
})

const removeContext = (name: string) =>
  Effect.flatMap(
    change(name, (all) => without(all, name)),
    (all) => contexts.print(Effect.succeed(redacted(all)))
  )

const remove = command("remove", { name }, ({ name }) => removeContext(name)).pipe(
  Command.withDescription("Remove a context and its key; the key itself stays valid"),
  Command.withExamples([{ command: "vps context remove staging" }])
)

const removeCurrent = Effect.fnUntraced(function*() {
  const { apiKey, contextFile } = readEnvironment()
  const { context } = yield* vps
  const { current } = yield* readContexts(contextFile)
  const name = Option.getOrUndefined(context) ?? current
  if (name === null) {
    const hint = "See the saved contexts: vps context list"
    return yield* new CommandError({ message: "No context is selected.", hint, exit: EXIT.auth })
  }
  yield* removeContext(name)
  yield* printNote(`Removed context "${name}" and its key. The key itself stays valid.`)
  if (apiKey !== undefined) yield* printNote("VPS_API_KEY is set and still used. Unset it, too.")
})

export const logout = command("logout", {}, removeCurrent).pipe(
  Command.withShortDescription("Remove the saved API key"),
  Command.withDescription(
    "Remove the current context, or the one of --context, and its API key from this computer. The key itself stays "
      + "valid: the panel or your host can revoke it."
  ),
  Command.withExamples([{ command: "vps logout" }, { command: "vps logout --context staging" }])
)

const listCommand = command("list", contexts.flags, list).pipe(
  Command.withDescription("List the saved contexts"),
  Command.withExamples([{ command: "vps context list" }])
)

export const context = command("context", {}, () => list()).pipe(
  Command.withShortDescription("List, select, and remove saved contexts"),
  Command.withDescription(
    "List, select, and remove the contexts that \"vps login\" saved. Without a subcommand, list them."
  ),
  Command.withSubcommands([listCommand, use, remove])
)

/** The name of the first context without `--context`. */
const DEFAULT_CONTEXT = "default"

const baseUrl = Flag.String("base-url").pipe(
  Flag.withMetavar("url"),
  Flag.withDescription("The base URL of the service, like https://host/api/v1 (VPS_BASE_URL)"),
  Flag.optional
)

/** From the flag, the environment, the saved context of this name, or a prompt. */
const resolveBaseUrl = Effect.fnUntraced(function*(flag: Option.Option<string>, contexts: Contexts, name: string) {
  const baseUrl = Option.getOrUndefined(flag) ?? readEnvironment().baseUrl ?? findContext(contexts, name)?.base_url
  if (baseUrl !== undefined) return baseUrl
  if (isInteractive()) return yield* promptLine("Base URL of the service (https://host/api/v1): ")
  return yield* usageError("Missing base URL of the service.", "Pass it: vps login --base-url https://host/api/v1")
})

/** The key is never an argument: those are visible to other users, and saved in the shell's history. */
const readKey = Effect.map(
  Effect.suspend(() => canHideInput() ? promptHidden("API key (hidden): ") : standardInput),
  (key) => key.trim()
)

const save = (file: string, name: string, base_url: string, api_key: string) =>
  updateContexts(file, ({ contexts }) => ({ current: name, contexts: { ...contexts, [name]: { base_url, api_key } } }))

const run = Effect.fnUntraced(function*(flag: Option.Option<string>) {
  const environment = readEnvironment()
  const { context } = yield* vps
  const contexts = yield* readContexts(environment.contextFile)
  const name = yield* validateContextName(Option.getOrUndefined(context) ?? contexts.current ?? DEFAULT_CONTEXT)
  const url = yield* resolveBaseUrl(flag, contexts, name)
  const key = yield* readKey
  if (key === "") return yield* usageError("Missing API key.", "Pipe it in: vps login < key.txt")
  const client = makeHostClient({ apiKey: key, baseUrl: url, userAgent: `vps/${VERSION}` })
  const { data } = yield* client.account.whoami().pipe(
    Effect.catchTag(
      "UnauthorizedError",
      ({ detail }) =>
        new CommandError({
          message: detail,
          hint: "Nothing was saved. Check the key and the base URL.",
          exit: EXIT.auth
        })
    )
  )
  yield* save(environment.contextFile, name, url, key)
  yield* print(data, whoamiView)
  yield* printNote(`Saved as context "${name}" in ${environment.contextFile} and selected.`)
  if (environment.apiKey !== undefined) {
    yield* printNote("VPS_API_KEY is set and overrides the context. Unset it to use the context.")
  }
})

export const login = command("login", { baseUrl }, ({ baseUrl }) => run(baseUrl)).pipe(
  Command.withShortDescription("Save an API key and use it from now on"),
  Command.withDescription(
    "Verify an API key with the service, then save it.\n"
      + "The key is read from a hidden prompt or from standard input, never from the command line. It is stored in a "
      + "file that only you can read. Use --context to save keys of several services and accounts."
  ),
  Command.withExamples([
    { command: "vps login --base-url https://host.example/api/v1" },
    {
      command: "vps login --context staging --base-url https://host.example/api/v1 < key.txt",
      description: "A second account, from a script"
    }
  ])
)
