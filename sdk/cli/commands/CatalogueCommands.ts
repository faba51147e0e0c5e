/** What can be bought, and what can be installed on it. */
import type { OsOptions, PublicPlan } from "#contract/Services"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Client } from "../../client/Client.ts"
import { CATALOGUE_CONCURRENCY } from "../Limits.ts"
import type { View } from "../output/Show.ts"
import { table } from "../output/Table.ts"
import { client, leaf, present, print } from "../Root.ts"
import * as Arguments from "./Arguments.ts"
import { planNamed } from "./Catalogue.ts"
import { plans } from "./Views.ts"

const listPlans = leaf("list", {}, () => present((core) => core.services.list(), plans)).pipe(
  Command.withDescription("List the plans that can be bought, with their gross prices"),
  Command.withExamples([{ command: "vps plan list" }])
)

export const plan = Command.make("plan").pipe(
  Command.withDescription("See what can be bought"),
  Command.withSubcommands([listPlans])
)

type OsOption = NonNullable<OsOptions["os_options"]>[number]

/** An image, and the plans that can run it. */
interface Image extends OsOption {
  readonly plans: ReadonlyArray<string>
}

const images: View<ReadonlyArray<Image>> = {
  text: (rows, surface) =>
    table(
      [
        { title: "SLUG", value: ({ slug }) => slug, style: () => "cyan" },
        { title: "NAME", value: ({ label }) => label },
        { title: "VERSION", value: ({ version }) => version },
        { title: "OS ID", value: ({ os_id }) => String(os_id), right: true },
        { title: "PLANS", value: ({ plans }) => plans.join(", ") }
      ],
      rows,
      surface
    ),
  ids: (rows) => rows.map(({ slug }) => slug)
}

const imagesOf = (core: Client, { id, slug }: Pick<PublicPlan, "id" | "slug">) =>
  Effect.map(
    core.services.osOptions(id),
    ({ data }) => (data.os_options ?? []).map((option): Image => ({ ...option, plans: [slug] }))
  )

/** One row an image, however many plans can run it. */
const merged = (all: ReadonlyArray<Image>): ReadonlyArray<Image> =>
  [...Map.groupBy(all, ({ slug }) => slug).values()].map((same) => ({
    ...same[0]!,
    plans: same.flatMap(({ plans }) => plans)
  }))

const listImages = leaf(
  "list",
  {
    plan: Arguments.plan.pipe(Flag.withDescription("Only what this plan can run"), Flag.optional)
  },
  Effect.fnUntraced(function*({ plan }) {
    const core = yield* client
    const { data: all } = yield* core.services.list()
    const wanted = Option.isNone(plan) ? all : [yield* planNamed(plan.value, all)]
    const found = yield* Effect.forEach(wanted, (each) => imagesOf(core, each), { concurrency: CATALOGUE_CONCURRENCY })
    yield* print(merged(found.flat()), images)
  })
).pipe(
  Command.withDescription("List the images that can be installed; which, depends on the plan"),
  Command.withExamples([{ command: "vps os list --plan vps-s" }])
)

export const os = Command.make("os").pipe(
  Command.withDescription("See what can be installed"),
  Command.withSubcommands([listImages])
)
