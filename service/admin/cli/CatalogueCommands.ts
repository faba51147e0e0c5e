/** Plans, images, ISOs and coupons. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { text as textOf } from "node:stream/consumers"
import { parse, stringify, YAMLParseError } from "yaml"
import type { CatalogueDocument } from "../catalogue/CatalogueDocument.ts"
import { CommandRejected } from "../InputSchemas.ts"
import { admin, given, perform, present, print } from "./AdminCommand.ts"
import { CATALOGUE_EXAMPLE } from "./CatalogueExample.ts"
import { note, plain } from "./Output.ts"

/** Standard input may be a pipe that has nothing yet: reading it at once would fail. */
const read = (path: string) =>
  Effect.tryPromise({
    try: async () => path === "-" ? await textOf(process.stdin) : readFileSync(path, "utf8"),
    catch: (cause) => new CommandRejected({ message: `${path} cannot be read: ${(cause as Error).message}` })
  })

/** Most times that one alias may be used: a file of a few lines must not unfold into gigabytes. */
const ALIASES_MAX = 100

/** The document of a file; whether it is a catalogue is for the command to say. */
const load = Effect.fnUntraced(function*(path: string) {
  const text = yield* read(path)
  const parsed: unknown = yield* Effect.try({
    try: () => parse(text, { maxAliasCount: ALIASES_MAX }),
    catch: (cause) => {
      const at = cause instanceof YAMLParseError && cause.linePos !== undefined ? `:${cause.linePos[0].line}` : ""
      return new CommandRejected({ message: `${path}${at} is not YAML: ${(cause as Error).message.trimEnd()}` })
    }
  })
  const isObject = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
  if (isObject) return parsed as CatalogueDocument
  const parts = "data_centres, images, plans and isos"
  return yield* new CommandRejected({ message: `${path} holds no catalogue: it should have lists named ${parts}.` })
})

const FORMAT =
  "The file has lists named data_centres, images, plans and isos, each entry as \"catalogue export\" shows "
  + "it. An entry is added, or replaces the one with its id; what the file does not name stays as it is. "
  + "All of it is imported, or nothing."

const DRY_RUN = "Nothing was written: this was a dry run."

const importFile = Command.make(
  "import",
  {
    file: Argument.String("file").pipe(Argument.withDescription("A YAML file, or - for standard input")),
    dry_run: Flag.Boolean("dry-run").pipe(
      Flag.withDescription("Show what would change, and write nothing"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function*({ dry_run, file }) {
    yield* present("catalogue.import", { document: yield* load(file), dry_run })
    if (dry_run) yield* note(DRY_RUN)
  })
).pipe(
  Command.withShortDescription("Bring the catalogue up to date from a YAML file"),
  Command.withDescription(`Bring the catalogue up to date from a YAML file. ${FORMAT}`),
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
).pipe(Command.withDescription("Print the whole catalogue as YAML; importing it changes nothing"))

const example = Command.make("example", {}, () => plain(CATALOGUE_EXAMPLE)).pipe(
  Command.withDescription("Print a small catalogue with every field explained, to begin from"),
  Command.withExamples([{ command: "vps-service admin catalogue example > catalogue.yaml" }])
)

export const catalogue = Command.make("catalogue").pipe(
  Command.withDescription("Import and export plans, images and ISOs"),
  Command.withSubcommands([example, importFile, exportFile])
)

const list = (name: "plans" | "images" | "isos", what: string) =>
  Command.make(name).pipe(
    Command.withDescription(`See ${what}; "catalogue import" changes them`),
    Command.withSubcommands([
      Command.make("list", {}, () => present(`${name}.list`, {})).pipe(Command.withDescription(`List ${what} by id`))
    ])
  )

export const plans = list("plans", "plans")
export const images = list("images", "images")
export const isos = list("isos", "ISOs")

const moment = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(`${description}, like 2027-01-31 or 2027-01-31T12:00:00Z`), Flag.optional)

const createCoupon = Command.make("create", {
  code: Argument.String("code").pipe(Argument.withDescription("What customers type; upper and lower case differ")),
  percent: Flag.Finite("percent").pipe(Flag.withDescription("Takes off this part of the price"), Flag.optional),
  fixed: Flag.Finite("fixed").pipe(Flag.withDescription("Takes off this amount"), Flag.optional),
  currency: Flag.String("currency").pipe(
    Flag.withDescription("Currency of a fixed amount (default: EUR)"),
    Flag.optional
  ),
  valid_from: moment("valid-from", "First moment"),
  valid_until: moment("valid-until", "First moment at which it is no longer valid"),
  max_uses: Flag.Int("max-uses").pipe(Flag.withDescription("How often, by all accounts together"), Flag.optional),
  once_per_account: Flag.Boolean("once-per-account").pipe(
    Flag.withDescription("Each account may use it once"),
    Flag.withDefault(false)
  )
}, ({ code, once_per_account, ...options }) => present("coupons.create", { code, once_per_account, ...given(options) }))
  .pipe(
    Command.withDescription("Make a coupon that takes off a percentage or a fixed amount"),
    Command.withExamples([{ command: "vps-service admin coupons create WELCOME10 --percent 10 --once-per-account" }])
  )

const listCoupons = Command.make("list", {}, () => present("coupons.list", {})).pipe(
  Command.withDescription("List coupons by code, with their uses")
)

export const coupons = Command.make("coupons").pipe(
  Command.withDescription("Make and see coupons"),
  Command.withSubcommands([createCoupon, listCoupons])
)
