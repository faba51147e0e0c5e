/** `vps login`: checks a key with the host, then saves it. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { makeClient } from "../../client/Client.ts"
import { VERSION } from "../../client/Version.ts"
import { environmentOf } from "../Config.ts"
import { changeContexts, checkedName, contextNamed, type Contexts, readContexts } from "../Contexts.ts"
import { note } from "../output/Show.ts"
import { misused } from "../Refusal.ts"
import { leaf, print, vps } from "../Root.ts"
import { askHidden, askLine, canAsk, canHide, standardInput } from "../terminal/Prompt.ts"
import { whoamiView } from "./AccountCommands.ts"

/** The name of a context that nobody named. */
const FIRST = "default"

const baseUrl = Flag.String("base-url").pipe(
  Flag.withMetavar("url"),
  Flag.withDescription("The address of the service, like https://host/api/v1 (VPS_BASE_URL)"),
  Flag.optional
)

/** As given, as in the environment, as saved under this name, or as a person says. */
const addressFor = Effect.fnUntraced(function*(given: Option.Option<string>, contexts: Contexts, name: string) {
  const known = Option.getOrUndefined(given) ?? environmentOf().baseUrl ?? contextNamed(contexts, name)?.base_url
  if (known !== undefined) return known
  if (canAsk()) return yield* askLine("Address of the service (https://host/api/v1): ")
  return yield* misused("Which host? Name its address.", "vps login --base-url https://host/api/v1")
})

/** Never an argument: those are seen by everybody on the machine, and kept in the shell's history. */
const keyFor = Effect.suspend(() => canHide() ? askHidden("API key (not shown): ") : standardInput)

const save = (file: string, name: string, base_url: string, api_key: string) =>
  changeContexts(file, ({ contexts }) => ({ current: name, contexts: { ...contexts, [name]: { base_url, api_key } } }))

const run = Effect.fnUntraced(function*(given: Option.Option<string>) {
  const environment = environmentOf()
  const { context } = yield* vps
  const contexts = yield* readContexts(environment.file)
  const name = yield* checkedName(Option.getOrUndefined(context) ?? contexts.current ?? FIRST)
  const url = yield* addressFor(given, contexts, name)
  const key = yield* keyFor
  if (key === "") return yield* misused("No API key was given.", "Pipe it in: vps login < key.txt")
  const core = makeClient({ apiKey: key, baseUrl: url, userAgent: `vps/${VERSION}` })
  const { data } = yield* core.account.whoami()
  yield* save(environment.file, name, url, key)
  yield* print(data, whoamiView)
  yield* note(`Saved as context "${name}" in ${environment.file}; it is the current one.`)
  if (environment.apiKey !== undefined) {
    yield* note("VPS_API_KEY is set, and wins over it: unset it to use the context.")
  }
})

export const login = leaf("login", { baseUrl }, ({ baseUrl }) => run(baseUrl)).pipe(
  Command.withShortDescription("Save the key of an account, and use it from now on"),
  Command.withDescription(
    "Save the API key of an account, after asking its host who it is.\n"
      + "The key is read from a hidden prompt or from standard input, never from the command line. It is kept in a "
      + "file that only you can read. With --context, several hosts and accounts are kept side by side."
  ),
  Command.withExamples([
    { command: "vps login --base-url https://host.example/api/v1" },
    {
      command: "vps login --context staging --base-url https://host.example/api/v1 < key.txt",
      description: "A second account, from a script"
    }
  ])
)
