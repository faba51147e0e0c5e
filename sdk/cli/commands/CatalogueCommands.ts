/** `vps plan` and `vps os`: plans and images. */
import type { OsOptions, PublicPlan } from "#contract/Services"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Client } from "../../client/Client.ts"
import { CATALOGUE_CONCURRENCY } from "../Limits.ts"
import { List } from "../output/List.ts"
import { command, getClient } from "../Command.ts"
import * as Arguments from "../shared/Arguments.ts"
import { currencyForPeople, findPlan } from "../shared/Lookup.ts"
import { plansIn } from "../shared/Views.ts"

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

const imagesOf = (client: Client, { id, slug }: Pick<PublicPlan, "id" | "slug">) =>
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
