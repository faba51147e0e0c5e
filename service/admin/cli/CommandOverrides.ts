/** The parts of subcommands that do not derive from the contract: files, forms of their own, and exit codes. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Prompt from "effect/cli/Prompt"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { text as textOf } from "node:stream/consumers"
import { parse, stringify, YAMLParseError } from "yaml"
import { csvOf } from "../../billing/Statement.ts"
import type { CatalogueDocument } from "../../contract/operator/Catalogue.ts"
import type { CommandName, InputOf, ResultOf, RowOf } from "../../contract/operator/Commands.ts"
import { asText } from "../../domain/Money.ts"
import { reject, rejectUsage } from "../Input.ts"
import { admin, perform, type Performed, print } from "./AdminCommand.ts"
import type { CommandOverride } from "./Derived.ts"
import { optional, toggle } from "./Flags.ts"
import { note, plain } from "./Output.ts"

/** An example catalogue with every field, which `catalogue example` prints and the README shows. */
const CATALOGUE_EXAMPLE = `data_centers:
  - id: 1
    label: Frankfurt            # images and plans name it by its label
images:
  - os_id: 1
    slug: debian-13             # never changes: instances run it
    label: Debian
    version: "13"
    family: linux               # linux, bsd, windows
    icon: null                  # optional
    data_centers: [Frankfurt]   # where it is offered
    default_in: [Frankfurt]     # optional: where it is installed when a customer names no image
plans:
  - id: 1
    slug: vps-s
    name: VPS S
    description: For small services   # optional
    price: 4.99                 # gross at the seller's home rate, per billing cycle
    currency: EUR               # never changes, like category and data_center
    billing_cycle: monthly      # the default, and the only one
    category: vps               # vps, dedicated, hosting
    specs: { vcpu: 1, ram: 2 GB, storage: 40 GB NVMe, traffic: 20 TB }   # optional; more properties are allowed
    data_center: Frankfurt
    is_active: true             # the default; false withdraws it from sale
    out_of_stock: false         # the default
    auto_deploy: true           # the default; false: each deployment waits for "tasks approve"
isos:
  - id: 1
    name: debian-netinst
    file_name: debian-netinst.iso     # the upstream's name for it
    size_bytes: 681574400
`

const DEFAULT = "default"

/** A number, or `default` for the service's own limit, which is null. */
const rate = (flag: string, per: string) => ({
  param: optional(
    Flag.String(flag),
    `Creates per ${per}: a number, or "${DEFAULT}" for the service's limit (default: unchanged)`
  ),
  read: Option.match({
    onNone: () => Effect.succeed(undefined),
    onSome: (text: string): Performed<number | null> => {
      if (text === DEFAULT) return Effect.succeed(null)
      if (/^[0-9]+$/.test(text)) return Effect.succeed(Number(text))
      return Effect.fail(rejectUsage(`--${flag} should be a number or "${DEFAULT}"; got "${text}".`))
    }
  })
})

/** Standard input is read asynchronously, because a synchronous read of an empty pipe fails. */
const readInput = (path: string) =>
  Effect.tryPromise({
    try: async () => path === "-" ? await textOf(process.stdin) : readFileSync(path, "utf8"),
    catch: (cause) => reject(`Cannot read ${path}: ${(cause as Error).message}`)
  })

/** Most uses of one alias: a small file must not expand to gigabytes. */
const ALIASES_MAX = 100

/** Parses a file. The command validates its content. */
const loadCatalogue = Effect.fnUntraced(function*(path: string) {
  const text = yield* readInput(path)
  const parsed: unknown = yield* Effect.try({
    try: () => parse(text, { maxAliasCount: ALIASES_MAX }),
    catch: (cause) => {
      const at = cause instanceof YAMLParseError && cause.linePos !== undefined ? `:${cause.linePos[0].line}` : ""
      return rejectUsage(`${path}${at}: invalid YAML: ${(cause as Error).message.trimEnd()}`)
    }
  })
  const isObject = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
  if (isObject) return parsed as CatalogueDocument
  return yield* rejectUsage(`${path} is not a catalogue. Expected the lists data_centers, images, plans and isos.`)
})

const exportCatalogue = Effect.fnUntraced(function*() {
  const document = yield* perform("catalogue.export", {})
  const { output } = yield* admin
  yield* output === "json" ? print(document) : plain(stringify(document, { lineWidth: 0 }))
})

/** The subcommand has no use case. */
export const catalogueExample = Command.make("example", {}, () => plain(CATALOGUE_EXAMPLE)).pipe(
  Command.withDescription("Print an example catalogue with every field explained"),
  Command.withExamples([{ command: "vps-service admin catalogue example > catalogue.yaml" }])
)

/** Fails after the table, so that scripts notice. */
const assertOk = (subject: string, checks: ResultOf<"hosts.check">): Performed<void> => {
  const failed = checks.filter(({ ok }) => !ok).map(({ check }) => check)
  return failed.length === 0 ? Effect.void : Effect.fail(reject(`${subject} failed: ${failed.join(", ")}.`))
}

/** Fails after the record unless the mail was sent, so that scripts notice. */
const assertSent = ({ error, id, state }: ResultOf<"mails.test">): Performed<void> => {
  if (state === "sent") return Effect.void
  const reason = error === null ? "The mail server has not answered yet" : `The last try: ${error}`
  const next = state === "failed"
    ? "Correct the address"
    : `It is tried again: see "mails show ${id}". Correct the settings`
  return Effect.fail(reject(`Mail ${id} was not sent. ${reason}. ${next} if needed.`))
}

/** Entries that are read at once: the log may have any length. */
const EXPORT_PAGE = 1_000

const exportAudit = Effect.fnUntraced(function*(input: InputOf<"audit.export">) {
  let next: InputOf<"audit.export"> | undefined = input
  while (next !== undefined) {
    const page: ResultOf<"audit.export"> = yield* perform("audit.export", next)
    for (const entry of page) yield* plain(`${JSON.stringify(entry)}\n`)
    next = page.length < next.limit ? undefined : { ...next, after: page.at(-1)!.seq }
  }
})

const parseHead = (text: string) => {
  const [seq, hash] = text.split(":")
  return /^[1-9]\d{0,15}$/.test(seq!) && hash !== undefined
    ? Effect.succeed({ seq: Number(seq), hash })
    : Effect.fail(rejectUsage(
      `--head should be an entry's number and hash, as "audit verify" prints it, like 42:0f3a...; got "${text}".`
    ))
}

/** All pages of a statement, so that a spreadsheet has the whole. */
const printCsv = Effect.fnUntraced(function*(input: InputOf<"wallet.statement">) {
  const { output } = yield* admin
  if (output === "json") return yield* rejectUsage("--csv and -o json contradict each other. Pass one of them.")
  let next: InputOf<"wallet.statement"> | undefined = { ...input, limit: EXPORT_PAGE }
  for (let isFirst = true; next !== undefined; isFirst = false) {
    const lines: ResultOf<"wallet.statement"> = yield* perform("wallet.statement", next)
    yield* plain(csvOf(lines, isFirst))
    next = lines.length < EXPORT_PAGE ? undefined : { ...next, before: lines.at(-1)!.id }
  }
})

/** A person at the terminal sees what a price change does before it is announced. */
const confirmPrice = Effect.fnUntraced(function*(
  input: InputOf<"plans.reprice">,
  { yes }: Readonly<Record<string, unknown>>
) {
  if (yes === true || input.dry_run === true || process.stdin.isTTY !== true) return
  const { accounts, currency, from, repriced } = yield* perform("plans.reprice", { ...input, dry_run: true })
  const price = `${asText(input.price)} ${currency}`
  const message =
    `${repriced} instances of ${accounts} accounts will cost ${price} from ${from}. Mail their owners now?`
  if (yield* Prompt.Confirm({ message })) return
  return yield* reject("Nothing was announced.")
})

const taskView = (task: RowOf<"tasks.list">) => ({ ...task, status: task.held ? "held" : task.status })

export const OVERRIDES: { readonly [Name in CommandName]?: CommandOverride<Name> } = {
  "accounts.limits": {
    replace: {
      creates_per_minute: rate("creates-per-minute", "minute"),
      creates_per_hour: rate("creates-per-hour", "hour")
    }
  },
  "wallet.statement": {
    extra: { csv: toggle("csv", "Print all lines as CSV, for spreadsheets") },
    instead: (input, { csv }) => csv === true ? printCsv(input) : undefined
  },
  "ledger.verify": {
    afterwards: ({ balanced }) =>
      balanced
        ? Effect.void
        : Effect.fail(reject("The ledger does not balance. Investigate the accounts listed above."))
  },
  "catalogue.import": {
    replace: {
      document: {
        param: Argument.String("file").pipe(Argument.withDescription("A YAML file, or - for standard input")),
        read: loadCatalogue
      }
    },
    afterwards: (_, { dry_run: dryRun }) => dryRun ? note("Dry run: nothing was written.") : Effect.void
  },
  "catalogue.export": { instead: exportCatalogue },
  "images.import": {
    replace: {
      file: {
        param: Flag.String("file").pipe(Flag.withDescription("A qcow2 image, or an ISO")),
        // The service, which reads the file, has another working folder.
        read: (file: string) => Effect.succeed(resolve(file))
      }
    }
  },
  "hosts.check": { afterwards: (checks, { name }) => assertOk(`Host ${name}`, checks) },
  "mails.test": { afterwards: assertSent },
  "rdns.check": { afterwards: (checks) => assertOk("Reverse DNS", checks) },
  "instances.auto_renew": {
    replace: {
      auto_renew: {
        param: Argument.Literals("state", ["on", "off"]).pipe(
          Argument.withDescription("on: the end of a period charges the next one; off: the instance expires then")
        ),
        read: (state: "on" | "off") => Effect.succeed(state === "on")
      }
    }
  },
  "tasks.list": { view: taskView },
  "tasks.retry": { view: taskView },
  "tasks.approve": { view: taskView },
  "audit.list": {
    view: (entry) => ({ ...entry, outcome: entry.damaged ? `${entry.outcome}, DAMAGED` : entry.outcome })
  },
  "audit.export": { replace: { limit: { read: () => Effect.succeed(EXPORT_PAGE) } }, instead: exportAudit },
  "plans.reprice": {
    extra: { yes: toggle("yes", "Do not ask before the mails are sent") },
    before: confirmPrice,
    afterwards: (_, { dry_run: dryRun }) => dryRun === true ? note("Dry run: nothing was announced.") : Effect.void
  },
  "audit.verify": {
    replace: {
      head: {
        param: optional(
          Flag.String("head"),
          "The head that an earlier verification printed, which must still be in the log"
        ),
        read: Option.match({ onNone: () => Effect.succeed(undefined), onSome: parseHead })
      }
    },
    afterwards: ({ intact, problems }) =>
      intact ? Effect.void : Effect.fail(reject(`The audit log is not intact. ${problems.join(" ")}`))
  }
}
