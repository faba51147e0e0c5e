/** The audit log. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ResultOf } from "../Commands.ts"
import { reject, rejectUsage } from "../CommandRejected.ts"
import { commandFor, limit, perform, present } from "./AdminCommand.ts"
import { accountOr, optional } from "./Flags.ts"
import { plain } from "./Output.ts"

/** The columns of a table. */
const summarize = (
  { account_id, action, actor, at, damaged, details, error, from, instance_id, outcome, seq }: ResultOf<
    "audit.list"
  >[number]
) => ({
  seq,
  at,
  actor,
  from,
  action,
  account_id,
  instance_id,
  details,
  outcome: damaged ? `${outcome}, DAMAGED` : outcome,
  error
})

const list = commandFor("audit.list", {
  before: optional(Flag.Int("before"), "Only entries before this number, for the next page"),
  action: optional(Flag.String("action"), "Only this action, or group of actions, like instances.suspend or keys"),
  actor: optional(Flag.String("actor"), "Only actors whose name contains this"),
  ...accountOr("Only acts on this account"),
  instance_id: optional(Flag.Int("instance"), "Only acts on this instance"),
  search: optional(Flag.String("search"), "Only the number of an entry, account or instance, or a part of any text"),
  since: optional(Flag.String("since"), "Only entries from this time on, like 2027-01-31 or 2027-01-31T12:00:00Z"),
  until: optional(Flag.String("until"), "Only entries before this time"),
  limit
}, {
  description: "List what operators did, sign-ins and changes of API keys, newest first",
  example: "audit list --action instances --since 2027-01-01",
  view: (entries) => entries.map(summarize),
  paged: { flag: "before", idOf: ({ seq }) => seq }
})

const EXPORT_PAGE = 1_000

/** Writes page after page, so that a log of any length can be exported. */
const exportAll = Effect.fnUntraced(function*(after: number) {
  let last = after
  while (true) {
    const page = yield* perform("audit.export", { after: last, limit: EXPORT_PAGE })
    for (const entry of page) yield* plain(`${JSON.stringify(entry)}\n`)
    if (page.length < EXPORT_PAGE) return
    last = page.at(-1)!.seq
  }
})

const exportLog = Command.make("export", {
  after: Flag.Int("after").pipe(
    Flag.withDescription("Start after this number, to continue an earlier export"),
    Flag.withDefault(0)
  )
}, ({ after }) => exportAll(after)).pipe(
  Command.withDescription(
    "Print the log in order as one JSON document per line, with all that the hashes are computed from"
  ),
  Command.withExamples([{ command: "vps-service admin audit export > audit.jsonl" }])
)

const parseHead = (text: string) => {
  const [seq, hash] = text.split(":")
  return /^[1-9]\d{0,15}$/.test(seq!) && hash !== undefined
    ? Effect.succeed({ seq: Number(seq), hash })
    : rejectUsage(
      `--head should be an entry's number and hash, as "audit verify" prints it, like 42:0f3a...; got "${text}".`
    )
}

const verify = Command.make(
  "verify",
  {
    head: optional(Flag.String("head"), "The head that an earlier verification printed, which must still be in the log")
  },
  Effect.fnUntraced(function*({ head }) {
    const known = Option.isSome(head) ? { head: yield* parseHead(head.value) } : {}
    const { intact, problems } = yield* present("audit.verify", known)
    if (!intact) return yield* reject(`The audit log is not intact. ${problems.join(" ")}`)
  })
).pipe(
  Command.withShortDescription("Verify that no entry was changed, removed or moved"),
  Command.withDescription(
    "Compute all hashes again, and fail if an entry was changed, removed or moved. Pass the head that an earlier "
      + "verification printed to find also that the end was removed, or that the whole log was rewritten."
  ),
  Command.withExamples([{ command: "vps-service admin audit verify" }])
)

export const audit = Command.make("audit").pipe(
  Command.withDescription("List, verify and export what operators did"),
  Command.withSubcommands([list, verify, exportLog])
)
