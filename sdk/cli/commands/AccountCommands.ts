/**
 * `vps whoami`, `vps account`, `vps plan`, and `vps os`: the account of the API key, and the plans and images that
 * it can order.
 */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Arguments from "../shared/Arguments.ts"
import type { KeyInfo, OsOptions, PublicPlan, Whoami } from "../../client/Records.ts"
import type { Balance } from "../../client/Results.ts"
import { rawOf, type View } from "../../client/host/View.ts"
import { stdoutCapabilities, type View as Printed } from "../output/Output.ts"
import { dateTime, duration, EMPTY, money } from "../output/Format.ts"
import { type Field, fields, List, type MaybeField, present, table } from "../output/List.ts"
import { callAndPrint, command, getClient, print, vps } from "../Command.ts"
import { type Support, support, supportOf } from "../shared/HostSupport.ts"
import type { HostClient } from "../HostClient.ts"
import { CATALOGUE_CONCURRENCY } from "../Limits.ts"
import { currencyForPeople, findPlan } from "../shared/Selection.ts"
import { plansIn } from "../shared/Views.ts"

const keyText = ({ id, last4, name = "unnamed", prefix }: View<KeyInfo>): string => {
  const parts = [
    ...(prefix === undefined || last4 === undefined ? [] : [`${prefix}...${last4}`]),
    ...(id === undefined ? [] : [`ID ${id}`])
  ]
  return parts.length === 0 ? name : `${name} (${parts.join(", ")})`
}

const whoamiFields = ({ account_id, email, key = {} }: View<Whoami>): ReadonlyArray<MaybeField> => [
  ["Account", account_id?.toString()],
  ["Email", email],
  ["Key", Object.keys(key).length === 0 ? undefined : keyText(key)],
  ["Scopes", key.effective_scopes?.join(", ")],
  ["Key created", key.created_at === undefined ? undefined : dateTime(key.created_at)],
  [
    "Key expires",
    key.expires_at === undefined ? undefined : key.expires_at === null ? "never" : dateTime(key.expires_at)
  ]
]

const idsOf = ({ account_id }: View<Whoami>): ReadonlyArray<number> => account_id === undefined ? [] : [account_id]

export const whoamiView: Printed<View<Whoami>> = {
  text: (who, capabilities) => fields(present(whoamiFields(who)), capabilities),
  ids: idsOf
}

interface HostReport {
  readonly who: View<Whoami>
  readonly support: ReadonlyArray<Support>
}

const hostText: Printed<HostReport>["text"] = ({ support: all, who }, capabilities) => {
  const known = whoamiFields(who).some(([, value]) => value !== undefined)
  const account = known ? `${fields(present(whoamiFields(who)), capabilities)}\n` : ""
  return account + table(support.columns, all, capabilities)
}

const showHost = Effect.gen(function*() {
  const client = yield* getClient
  const { data: who } = yield* client.account.whoami()
  const { output } = yield* vps
  const report = { who, support: yield* supportOf(client, who) }
  // Programs get what the host has sent, and the table beside it.
  const whole = output === "table" ? report : { ...(rawOf(who) as object), host: report.support }
  yield* print(whole, { text: () => hostText(report, stdoutCapabilities()), ids: () => idsOf(who) })
})

export const whoami = command("whoami", {
  verbose: Flag.Boolean("verbose").pipe(
    Flag.withAlias("v"),
    Flag.withDescription("Also show what the host supports"),
    Flag.withoutNegation,
    Flag.withDefault(false)
  )
}, ({ verbose }) => verbose ? showHost : callAndPrint((client) => client.account.whoami(), whoamiView)).pipe(
  Command.withShortDescription("Show the account and the scopes of the API key"),
  Command.withDescription(
    "Show the account and the scopes of the API key. With -v, also show which records the host fills as this command "
      + "knows them, and what the clients do without. Nothing is changed."
  ),
  Command.withExamples([
    { command: "vps whoami" },
    { command: "vps whoami -v", description: "What the host supports" }
  ])
)

/** A rate limit of the service, as its responses declare it. */
interface RateLimit {
  readonly name: string
  readonly requests: number
  readonly window_seconds: number
  /** Null if the service does not report it. */
  readonly remaining: number | null
}

interface AccountReport extends View<Whoami> {
  /** Null if the key must not create, so that it cannot ask for a price. */
  readonly wallet: Balance | null
  readonly rate_limits: ReadonlyArray<RateLimit>
}

/** The items of a header like `"account";q=600;w=60, "key";q=300;w=60`, by name. */
const items = (header = ""): ReadonlyMap<string, Readonly<Record<string, number>>> =>
  new Map(
    [...header.matchAll(/"([^"]*)"((?:;\w+=\d+)*)/g)].map(([, name = "", parameters = ""]) => [
      name,
      Object.fromEntries([...parameters.matchAll(/;(\w+)=(\d+)/g)].map(([, key, value]) => [key, Number(value)]))
    ])
  )

const rateLimits = (headers: Readonly<Record<string, string>>): ReadonlyArray<RateLimit> => {
  const states = items(headers["ratelimit"])
  return [...items(headers["ratelimit-policy"])].map(([name, { q = 0, w = 0 }]) => ({
    name,
    requests: q,
    window_seconds: w,
    remaining: states.get(name)?.["r"] ?? null
  }))
}

const limitField = ({ name, remaining, requests, window_seconds }: RateLimit): Field => [
  `Limit (${name})`,
  `${requests} requests per ${duration(window_seconds)}, ${remaining ?? EMPTY} left now`
]

/** The amount that is missing, and the ways to pay it, of services that report them. */
const dueFields = ({ at_risk: risk, payment }: View<Whoami>): ReadonlyArray<MaybeField> => {
  const { currency, deletion, instances = [], missing, until } = risk ?? {}
  const { bank, page, reference } = payment ?? {}
  const transfer = typeof bank === "string" ? bank.split("\n") : []
  const lines = transfer.length > 0 && reference !== undefined ? [...transfer, `reference ${reference}`] : transfer
  return [
    [
      "Missing",
      missing === undefined || currency === undefined || until === undefined
        ? undefined
        : `${money(missing, currency)} until ${dateTime(until)}`
    ],
    [
      "",
      instances.length === 0 ? undefined : `for instance${instances.length === 1 ? "" : "s"} ${instances.join(", ")}`
    ],
    ["Deletion", typeof deletion === "string" ? `${dateTime(deletion)}, unless it is paid before` : undefined],
    ["Pay at", page ?? undefined],
    ...lines.map((line, index): Field => [index === 0 ? "Pay to" : "", line])
  ]
}

/** The announcements of the host, of services that report them. */
const announcementFields = ({ announcements = [] }: View<Whoami>): ReadonlyArray<MaybeField> =>
  announcements.flatMap(
    ({ ends_at: end, instances, kind, starts_at: start, text, title }): ReadonlyArray<MaybeField> => {
      if (title === undefined || start === undefined || end === undefined) return []
      const ids = instances ?? []
      return [
        [kind === "maintenance" ? "Maintenance" : "News", title],
        ["", `${dateTime(start)} to ${dateTime(end)}`],
        ["", ids.length === 0 ? undefined : `of instance${ids.length === 1 ? "" : "s"} ${ids.join(", ")}`],
        ...(text ?? "").split("\n").map((line): MaybeField => ["", line.trim() === "" ? undefined : line])
      ]
    }
  )

const accountView: Printed<AccountReport> = {
  text: (report, capabilities) => {
    const { rate_limits, wallet } = report
    const balance = wallet === null
      ? `${EMPTY} (needs a key with the vps:create scope)`
      : money(wallet.wallet_balance, wallet.currency)
    const limits = rate_limits.length === 0
      ? [["Limits", "none reported by the service"] as const]
      : rate_limits.map(limitField)
    const rows = [
      ...whoamiFields(report),
      ["Wallet", balance] as const,
      ...dueFields(report),
      ...announcementFields(report),
      ...limits
    ]
    return fields(present(rows), capabilities)
  },
  ids: idsOf
}

const showAccount = Effect.gen(function*() {
  const client = yield* getClient
  const { data, response } = yield* client.account.whoami()
  const wallet = yield* client.account.balance().pipe(
    Effect.map((balance): Balance | null => balance.data),
    Effect.catchTag("ForbiddenError", () => Effect.succeed(null))
  )
  const report: AccountReport = { ...data, wallet, rate_limits: rateLimits(response.headers) }
  yield* print(report, accountView)
})

export const account = command("account", {}, () => showAccount).pipe(
  Command.withShortDescription("Show the account, its wallet, and its limits"),
  Command.withDescription(
    "Show the account, the balance of its wallet, what is missing for the next renewals and how to pay it, the "
      + "maintenance that the host has announced, and the rate limits of the service. The balance is from a dry run, "
      + "which buys nothing."
  ),
  Command.withExamples([
    { command: "vps account" },
    { command: "vps account -o json | jq .wallet.wallet_balance", description: "In a script" }
  ])
)

const listPlans = command(
  "list",
  plansIn(undefined).flags,
  Effect.fnUntraced(function*(flags) {
    const client = yield* getClient
    const { data: plans } = yield* client.services.list()
    yield* plansIn(yield* currencyForPeople(plans[0]?.id)).print(Effect.succeed(plans), flags)
  })
).pipe(
  Command.withDescription("List the available plans with their gross prices"),
  Command.withExamples([{ command: "vps plan list" }])
)

export const plan = Command.make("plan").pipe(
  Command.withDescription("List plans"),
  Command.withSubcommands([listPlans])
)

type OsOption = NonNullable<OsOptions["os_options"]>[number]

/** An image, and the plans that support it. */
interface Image extends OsOption {
  readonly plans: ReadonlyArray<string>
}

const images = new List<Image>([
  { title: "SLUG", value: ({ slug }) => slug, style: () => "cyan", whole: true },
  { title: "NAME", value: ({ label }) => label },
  { title: "VERSION", value: ({ version }) => version },
  { title: "OS ID", value: ({ os_id }) => String(os_id), by: ({ os_id }) => os_id, right: true, whole: true },
  { title: "PLANS", value: ({ plans }) => plans.join(", "), keep: true }
], ({ slug }) => slug)

const imagesOf = (client: HostClient, { id, slug }: Pick<PublicPlan, "id" | "slug">) =>
  Effect.map(
    client.services.osOptions(id),
    ({ data }) => (data.os_options ?? []).map((option): Image => ({ ...option, plans: [slug] }))
  )

/** Merges the rows of an image that several plans support. */
const mergeByImage = (all: ReadonlyArray<Image>): ReadonlyArray<Image> =>
  [...Map.groupBy(all, ({ slug }) => slug).values()].map((same) => ({
    ...same[0]!,
    plans: same.flatMap(({ plans }) => plans)
  }))

const findImages = Effect.fnUntraced(function*(plan: Option.Option<string>) {
  const client = yield* getClient
  const { data: all } = yield* client.services.list()
  const selected = Option.isNone(plan) ? all : [yield* findPlan(plan.value, all)]
  const found = yield* Effect.forEach(selected, (each) => imagesOf(client, each), {
    concurrency: CATALOGUE_CONCURRENCY
  })
  return mergeByImage(found.flat())
})

const listImages = command(
  "list",
  {
    plan: Arguments.plan.pipe(Flag.withDescription("Only images that this plan supports"), Flag.optional),
    ...images.flags
  },
  ({ plan, ...flags }) => images.print(findImages(plan), flags)
).pipe(
  Command.withDescription("List the available images, which depend on the plan"),
  Command.withExamples([{ command: "vps os list --plan vps-s" }])
)

export const os = Command.make("os").pipe(
  Command.withDescription("List operating system images"),
  Command.withSubcommands([listImages])
)
