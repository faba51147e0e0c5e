/** Who you are, and as whom you could be. */
import type { Whoami } from "#contract/Account"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { environmentOf } from "../Config.ts"
import { changeContexts, contextNamed, type Contexts, readContexts } from "../Contexts.ts"
import { note, type View } from "../output/Show.ts"
import { fields, table } from "../output/Table.ts"
import { moment } from "../output/Words.ts"
import { absent, type Refusal } from "../Refusal.ts"
import { leaf, present, print } from "../Root.ts"
import { didYouMean } from "../Suggest.ts"

export const whoamiView: View<Whoami> = {
  text: ({ account_id, email, key }, surface) =>
    fields([
      ["Account", String(account_id)],
      ["E-mail", email],
      ["Key", `${key.name} (${key.prefix}...${key.last4}, id ${key.id})`],
      ["May do", key.effective_scopes.join(", ")],
      ["Key created", moment(key.created_at)],
      ["Key expires", key.expires_at === null ? "never" : moment(key.expires_at)]
    ], surface),
  ids: ({ account_id }) => [account_id]
}

export const whoami = leaf("whoami", {}, () => present((core) => core.account.whoami(), whoamiView)).pipe(
  Command.withDescription("Show the account and the scopes behind the API key"),
  Command.withExamples([{ command: "vps whoami" }])
)

/** A context as it may be shown: the key is a secret. */
interface Shown {
  readonly name: string
  readonly current: boolean
  readonly base_url: string
  readonly key: string
}

/** Characters of a key that tell it from others and open nothing. */
const LAST = 4

const shown = ({ contexts, current }: Contexts): ReadonlyArray<Shown> =>
  Object.entries(contexts).toSorted(([a], [b]) => a.localeCompare(b)).map(([name, { api_key, base_url }]) => ({
    name,
    current: name === current,
    base_url,
    key: `...${api_key.slice(-LAST)}`
  }))

const contextsView: View<ReadonlyArray<Shown>> = {
  text: (rows, surface) =>
    table(
      [
        { title: "CURRENT", value: ({ current }) => current ? "*" : "", style: () => "green" },
        { title: "NAME", value: ({ name }) => name },
        { title: "BASE URL", value: ({ base_url }) => base_url },
        { title: "KEY", value: ({ key }) => key }
      ],
      rows,
      surface
    ),
  ids: (rows) => rows.map(({ name }) => name)
}

const list = Effect.gen(function*() {
  const { apiKey, baseUrl, file } = environmentOf()
  yield* print(shown(yield* readContexts(file)), contextsView)
  if (apiKey !== undefined) yield* note("VPS_API_KEY is set, and wins over the current context.")
  if (baseUrl !== undefined) yield* note("VPS_BASE_URL is set, and wins over the current context.")
})

const name = Argument.String("name").pipe(Argument.withDescription("The context's name"))

const change = (name: string, next: (all: Contexts) => Contexts): Effect.Effect<Contexts, Refusal> =>
  Effect.gen(function*() {
    const { file } = environmentOf()
    const all = yield* readContexts(file)
    if (contextNamed(all, name) === undefined) {
      return yield* absent(`There is no context "${name}".`, didYouMean(name, Object.keys(all.contexts)))
    }
    return yield* changeContexts(file, next)
  })

const use = leaf("use", { name }, ({ name }) =>
  Effect.flatMap(
    change(name, (all) => ({ ...all, current: name })),
    (all) => print(shown(all), contextsView)
  )).pipe(
    Command.withDescription("Make a context the current one"),
    Command.withExamples([{ command: "vps context use staging" }])
  )

const without = (all: Contexts, name: string): Contexts => ({
  current: all.current === name ? null : all.current,
  contexts: Object.fromEntries(Object.entries(all.contexts).filter(([each]) => each !== name))
})

const remove = leaf("remove", { name }, ({ name }) =>
  Effect.flatMap(
    change(name, (all) => without(all, name)),
    (all) => print(shown(all), contextsView)
  )).pipe(
    Command.withDescription("Forget a context and its key; the key itself stays valid"),
    Command.withExamples([{ command: "vps context remove staging" }])
  )

const listCommand = leaf("list", {}, () => list).pipe(
  Command.withDescription("List the saved contexts"),
  Command.withExamples([{ command: "vps context list" }])
)

export const context = leaf("context", {}, () => list).pipe(
  Command.withShortDescription("List, choose and forget saved hosts and accounts"),
  Command.withDescription(
    "List, choose and forget the hosts and accounts that \"vps login\" saved. Without a subcommand: list them."
  ),
  Command.withSubcommands([listCommand, use, remove])
)
