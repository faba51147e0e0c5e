/** Plans, images, ISOs and coupons. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { text as textOf } from "node:stream/consumers"
import { parse, stringify, YAMLParseError } from "yaml"
import type { CatalogueDocument } from "../catalogue/CatalogueDocument.ts"
import { reject, rejectUsage } from "../CommandRejected.ts"
import { admin, commandFor, perform, present, print } from "./AdminCommand.ts"
import { CATALOGUE_EXAMPLE } from "./CatalogueExample.ts"
import { note, plain } from "./Output.ts"
import { optional, toggle } from "./Flags.ts"

/** Standard input is read asynchronously, because a synchronous read of an empty pipe fails. */
const read = (path: string) =>
  Effect.tryPromise({
    try: async () => path === "-" ? await textOf(process.stdin) : readFileSync(path, "utf8"),
    catch: (cause) => reject(`Cannot read ${path}: ${(cause as Error).message}`)
  })

/** Most uses of one alias: a small file must not expand to gigabytes. */
const ALIASES_MAX = 100

/** Parses a file. The command validates its content. */
const load = Effect.fnUntraced(function*(path: string) {
  const text = yield* read(path)
  const parsed: unknown = yield* Effect.try({
    try: () => parse(text, { maxAliasCount: ALIASES_MAX }),
    catch: (cause) => {
      const at = cause instanceof YAMLParseError && cause.linePos !== undefined ? `:${cause.linePos[0].line}` : ""
      return rejectUsage(`${path}${at}: invalid YAML: ${(cause as Error).message.trimEnd()}`)
    }
  })
  const isObject = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
  if (isObject) return parsed as CatalogueDocument
  return yield* rejectUsage(`${path} is not a catalogue. Expected the lists data_centres, images, plans and isos.`)
})

const FORMAT =
  "The file has the lists data_centres, images, plans and isos, in the format of \"catalogue export\". Each entry is "
  + "added, or replaces the entry with the same id; others are not changed. An import is atomic."

const DRY_RUN = "Dry run: nothing was written."

const importFile = Command.make(
  "import",
  {
    file: Argument.String("file").pipe(Argument.withDescription("A YAML file, or - for standard input")),
    dry_run: toggle("dry-run", "Show the changes without writing them")
  },
  Effect.fnUntraced(function*({ dry_run, file }) {
    yield* present("catalogue.import", { document: yield* load(file), dry_run })
    if (dry_run) yield* note(DRY_RUN)
  })
).pipe(
  Command.withShortDescription("Update the catalogue from a YAML file"),
  Command.withDescription(`Update the catalogue from a YAML file. ${FORMAT}`),
  Command.withExamples([{ command: "vps-service admin catalogue import catalogue.yaml --dry-run" }])
)

const exportFile = Command.make(
  "export",
  {},
  Effect.fnUntraced(function*() {
    const document = yield* perform("catalogue.export", {})
    const { output } = yield* admin
    yield* output === "json" ? print(document) : plain(stringify(document, { lineWidth: 0 }))
  })
).pipe(Command.withDescription("Print the whole catalogue as YAML, in the format of \"catalogue import\""))

const example = Command.make("example", {}, () => plain(CATALOGUE_EXAMPLE)).pipe(
  Command.withDescription("Print an example catalogue with every field explained"),
  Command.withExamples([{ command: "vps-service admin catalogue example > catalogue.yaml" }])
)

export const catalogue = Command.make("catalogue").pipe(
  Command.withDescription("Import and export plans, images and ISOs"),
  Command.withSubcommands([example, importFile, exportFile])
)

const list = commandFor("plans.list", {}, { description: "List plans by id" })

const reprice = commandFor("plans.reprice", {
  id: Argument.Int("plan").pipe(Argument.withDescription("The plan's id")),
  price: Flag.Finite("price").pipe(Flag.withDescription("The new gross price of a period")),
  from: Flag.String("from").pipe(
    Flag.withDescription("Applies to periods that begin then or later, like 2027-01-31 or 2027-01-31T12:00:00Z")
  ),
  replace: toggle("replace", "Replace a price that was announced before; the mail says so")
}, {
  description: "Change the price of existing instances with a plan, and mail their owners. An owner to whom the mail "
    + "cannot be sent keeps the old price; repeat the command to continue. New orders have the price of the catalogue",
  short: "Change the price of existing instances, and mail their owners",
  example: "plans reprice 1 --price 5.99 --from 2027-01-31"
})

export const plans = Command.make("plans").pipe(
  Command.withDescription("List plans; change them with \"catalogue import\", and existing instances with \"reprice\""),
  Command.withSubcommands([list, reprice])
)

export const isos = Command.make("isos").pipe(
  Command.withDescription("List ISOs; change them with \"catalogue import\""),
  Command.withSubcommands([commandFor("isos.list", {}, { description: "List ISOs by id" })])
)

const time = (name: string, description: string) =>
  optional(Flag.String(name), `${description}, like 2027-01-31 or 2027-01-31T12:00:00Z`)

const createCoupon = commandFor("coupons.create", {
  code: Argument.String("code").pipe(Argument.withDescription("The code that customers enter; case-sensitive")),
  percent: optional(Flag.Finite("percent"), "Discount in percent"),
  fixed: optional(Flag.Finite("fixed"), "Discount as a fixed amount"),
  currency: optional(Flag.String("currency"), "Currency of a fixed amount (default: EUR)"),
  valid_from: time("valid-from", "Start of validity"),
  valid_until: time("valid-until", "End of validity (exclusive)"),
  max_uses: optional(Flag.Int("max-uses"), "Maximum number of uses by all accounts"),
  once_per_account: toggle("once-per-account", "Limit each account to one use")
}, {
  description: "Create a coupon for a percentage or a fixed amount",
  example: "coupons create WELCOME10 --percent 10 --once-per-account"
})

const listCoupons = commandFor("coupons.list", {}, { description: "List coupons by code, with their uses" })

export const coupons = Command.make("coupons").pipe(
  Command.withDescription("Create and list coupons"),
  Command.withSubcommands([createCoupon, listCoupons])
)
