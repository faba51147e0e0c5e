/** `vps pulumi`: what a Pulumi program has to do with the account. */
import type { OrphanReport } from "#provider/orphans/Orphans"
import type { StateSources } from "#provider/orphans/States"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import type { View } from "../output/Show.ts"
import { misused } from "../Refusal.ts"
import { client, leaf, print } from "../Root.ts"

/** The provider's, by the package's own name for it: only who asks for orphans loads it, and finds it beside us. */
const provider = Effect.promise(async () => ({
  ...await import("#provider/orphans/Orphans"),
  ...await import("#provider/orphans/Report"),
  ...await import("#provider/orphans/States")
}))

/** Files and stacks that cannot be read are named, with what to give instead. */
const statesOf = Effect.fnUntraced(function*(sources: StateSources) {
  const { readStates } = yield* provider
  return yield* Effect.tryPromise({
    try: () => readStates(sources),
    catch: (cause) => misused(cause instanceof Error ? cause.message : String(cause))
  })
})

const find = Effect.fnUntraced(function*(sources: StateSources) {
  const states = yield* statesOf(sources)
  const core = yield* client
  const { data: instances } = yield* core.instances.list()
  const { data: who } = yield* core.account.whoami()
  const { describeOrphans, findOrphans } = yield* provider
  const view: View<OrphanReport> = {
    text: describeOrphans,
    ids: ({ orphans }) => orphans.map(({ id }) => id)
  }
  yield* print(findOrphans(states, instances, who), view)
})

const orphans = leaf("orphans", {
  files: Argument.String("state").pipe(
    Argument.withDescription("Files that \"pulumi stack export\" wrote; - is standard input"),
    Argument.variadic()
  ),
  stacks: Flag.String("stack").pipe(
    Flag.withAlias("s"),
    Flag.withMetavar("name"),
    Flag.withDescription("A stack to export with pulumi in this folder; may be given several times"),
    Flag.atLeast(1),
    Flag.withDefault([])
  )
}, find).pipe(
  Command.withShortDescription("List servers that are paid for and stand in no stack"),
  Command.withDescription(
    "List servers that are paid for and stand in no stack: what an interrupted update bought, what was forgotten, what "
      + "was bought by hand. Give the states of all stacks that use this account."
  ),
  Command.withExamples([
    { command: "vps pulumi orphans --stack prod --stack staging" },
    { command: "vps pulumi orphans prod.json staging.json -o json" },
    { command: "pulumi stack export | vps pulumi orphans -" }
  ])
)

export const pulumi = Command.make("pulumi").pipe(
  Command.withSubcommands([orphans]),
  Command.withDescription("What Pulumi programs have bought")
)
