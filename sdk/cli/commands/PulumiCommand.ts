/** `vps pulumi`: compares Pulumi stacks with the account. */
import type { OrphanReport } from "pulumi-vps/orphans/Orphans"
import type { StateSources } from "pulumi-vps/orphans/States"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import type { View } from "../output/Output.ts"
import { accountIdOf } from "../../client/host/AccountId.ts"
import { CommandError, EXIT, usageError } from "../errors/CommandError.ts"
import { command, getClient, panelForPeople, print } from "../Command.ts"
import { currencyForPeople } from "../shared/Selection.ts"
import { sanitizeLines } from "../terminal/Terminal.ts"

/** The provider's modules, loaded on demand. The package's own import name finds them from the bundle, too. */
const provider = Effect.promise(async () => ({
  ...await import("pulumi-vps/orphans/Orphans"),
  ...await import("pulumi-vps/orphans/States")
}))

/** Reads the states; unreadable files and stacks are usage errors. */
const loadStates = Effect.fnUntraced(function*(sources: StateSources) {
  const { readStates } = yield* provider
  return yield* Effect.tryPromise({
    try: () => readStates(sources),
    catch: (cause) => usageError(cause instanceof Error ? cause.message : String(cause))
  })
})

const findAndPrint = Effect.fnUntraced(function*(sources: StateSources) {
  const states = yield* loadStates(sources)
  const client = yield* getClient
  const { data: instances } = yield* client.instances.list()
  const { data: who } = yield* client.account.whoami()
  const { describeOrphans, findOrphans } = yield* provider
  const account_id = accountIdOf(who, instances)
  if (account_id === undefined) {
    return yield* new CommandError({
      message: "This host does not show the account of the API key, and the account has no instance that would.",
      hint: "Nothing can be compared. Check the key: vps whoami -o json",
      exit: EXIT.failed
    })
  }
  const report = findOrphans(states, instances, { account_id })
  const currency = yield* currencyForPeople(report.orphans[0]?.service_id)
  const panel = report.orphans.length === 0 ? undefined : yield* panelForPeople
  const view: View<OrphanReport> = {
    text: () => sanitizeLines(describeOrphans(report, currency, panel)),
    ids: ({ orphans }) => orphans.map(({ id }) => id)
  }
  yield* print(report, view)
})

const orphans = command("orphans", {
  files: Argument.String("state").pipe(
    Argument.withDescription("Files written by \"pulumi stack export\"; - for standard input"),
    Argument.variadic()
  ),
  stacks: Flag.String("stack").pipe(
    Flag.withAlias("s"),
    Flag.withMetavar("name"),
    Flag.withDescription("Stack to export with pulumi in this folder; repeatable"),
    Flag.atLeast(1),
    Flag.withDefault([])
  )
}, findAndPrint).pipe(
  Command.withShortDescription("List instances you pay for that are in no stack"),
  Command.withDescription(
    "List instances you pay for that are in no stack: bought by an interrupted update, by hand, or removed from a "
      + "stack without being deleted. Pass the states of all stacks that use this account."
  ),
  Command.withExamples([
    { command: "vps pulumi orphans --stack prod --stack staging" },
    { command: "vps pulumi orphans prod.json staging.json -o json" },
    { command: "pulumi stack export | vps pulumi orphans -" }
  ])
)

export const pulumi = Command.make("pulumi").pipe(
  Command.withSubcommands([orphans]),
  Command.withDescription("Compare Pulumi stacks with the account")
)
