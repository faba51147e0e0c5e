/** `vps login`: verifies an API key with the service, then saves it. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { makeClient } from "../../client/Client.ts"
import { VERSION } from "../../contract/Version.ts"
import { readEnvironment } from "../Environment.ts"
import {
  type Contexts,
  findContext,
  readContexts,
  updateContexts,
  validateContextName
} from "../connection/ContextFile.ts"
import { printNote } from "../output/Output.ts"
import { CommandError, EXIT, usageError } from "../errors/CommandError.ts"
import { command, print, vps } from "../Command.ts"
import { canHideInput, isInteractive, promptHidden, promptLine, standardInput } from "../terminal/Terminal.ts"
import { whoamiView } from "./AccountCommands.ts"

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
const readKey = Effect.suspend(() => canHideInput() ? promptHidden("API key (hidden): ") : standardInput)

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
  const client = makeClient({ apiKey: key, baseUrl: url, userAgent: `vps/${VERSION}` })
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
