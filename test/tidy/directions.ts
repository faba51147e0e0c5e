/** The import directions of the architecture: what each folder may import, and the check of the tree. */
import { folderOf as packageOf } from "../../.config/build/workspace.ts"
import { resolve } from "./graph.ts"
import { imports, type Problem, problem, type Source } from "./Source.ts"

interface Direction {
  /** Folders or files; `*` is any one name. The longest of all rows that matches a file applies to it, alone. */
  readonly files: string
  /**
   * Folders, files without extension, and packages, besides the folder itself. `a/` is all below `a`, `!a` is an
   * exception. The longest that matches decides.
   */
  readonly may: string
  /** Names that may be imported, too, for types only. */
  readonly types?: string
  readonly reason: string
}

const CONTRACTS = "sdk/contract service/contract"
const NO_HTTP = "effect !effect/http !effect/http-api node: !node:http !node:https"
const PLAIN = `${NO_HTTP} !effect/sql !node:sqlite`
const DATA = `${CONTRACTS} service/config service/domain service/runtime service/persistence`
const REPOSITORIES = `${DATA} !service/persistence/sqlite !service/persistence/postgres`
const STORED = `${REPOSITORIES} !service/persistence/Sql !service/persistence/Columns !service/persistence/Rows`
const LOW = "service/audit service/auth service/catalogue service/idempotency service/ledger service/ratelimit "
  + "service/mail/Outbox service/mail/MailTexts"
const BASE = `${STORED} ${LOW}`
const DRIVERS = "service/provisioning !service/provisioning/drivers"
const USE_CASE = "A use case imports the domain, the interfaces of persistence, and what is below it; no SQL, no HTTP."
const TWO_DATABASES = "A repository uses Sql only, so that it serves both databases."

/** From the bottom up. */
const DIRECTIONS: ReadonlyArray<Direction> = [
  { files: "sdk/contract", may: "effect", reason: "The contract imports effect and its own files only." },
  {
    files: "sdk",
    may: "effect node: undici !sdk/cli !sdk/testing",
    reason: "The SDK knows the contract: the service, the provider, the command and the kit build on it."
  },
  {
    files: "sdk/testing",
    may: "sdk !sdk/cli service/Embedded effect node:",
    reason: "The kit for tests imports the SDK and service/Embedded, which starts all of the service."
  },
  {
    files: "sdk/cli",
    may: "sdk provider/orphans effect @effect/platform-node node: yaml",
    reason: "The command loads of the provider only what finds orphans, when it is asked for."
  },
  {
    files: "provider",
    may: "sdk !sdk/testing effect node: @grpc/grpc-js google-protobuf @pulumi/pulumi/ !@pulumi/pulumi",
    types: "@pulumi/pulumi",
    reason: "The provider is a user of the API. Of Pulumi's SDK it loads parts, because the whole takes 0.4 s."
  },
  { files: "service/contract", may: "sdk/contract effect", reason: "Contracts import nothing of the service." },
  { files: "service/runtime", may: "effect node:", reason: "The runtime knows nothing of the service." },
  {
    files: "service/domain",
    may: "service/contract sdk/contract/Primitives sdk/contract/Scope sdk/contract/Instance "
      + "sdk/contract/PlanSpecs sdk/contract/OperationPower effect !effect/Clock !effect/Random !effect/Config "
      + "!effect/ConfigProvider !effect/FileSystem !effect/sql !effect/http !effect/http-api !effect/persistence",
    reason: "The domain is pure: time, chance, settings and data come in as arguments."
  },
  { files: "service/persistence", may: `${REPOSITORIES} ${PLAIN}`, reason: TWO_DATABASES },
  { files: "service/persistence/Storage", may: `${DATA} ${NO_HTTP}`, reason: "Storage chooses the database." },
  { files: "service/persistence/sqlite", may: `${DATA} ${NO_HTTP}`, reason: "A database imports persistence." },
  { files: "service/persistence/postgres", may: `${DATA} ${NO_HTTP} pg`, reason: "A database imports persistence." },
  ...["audit", "auth", "catalogue", "idempotency", "ledger", "ratelimit"].map((name) => ({
    files: `service/${name}`,
    may: `${BASE} ${PLAIN}`,
    reason: USE_CASE
  })),
  ...["Outbox", "MailTexts"].map((name) => ({
    files: `service/mail/${name}`,
    may: `${STORED} service/mail/MailTexts ${PLAIN}`,
    reason: "Mails that wait are written by use cases: they know nothing of how they are sent."
  })),
  { files: "service/instances", may: `${BASE} ${DRIVERS} ${PLAIN}`, reason: USE_CASE },
  {
    files: "service/people",
    may: `${BASE} service/instances service/ServiceRuntime ${DRIVERS} ${PLAIN} @simplewebauthn/server`,
    reason: USE_CASE
  },
  { files: "service/operations", may: `${BASE} service/instances ${DRIVERS} ${PLAIN}`, reason: USE_CASE },
  ...["orders", "billing"].map((name) => ({
    files: `service/${name}`,
    may: `${BASE} service/instances service/operations ${PLAIN}`,
    reason: USE_CASE
  })),
  {
    files: "service/tasks",
    may: `${BASE} service/instances service/operations service/orders service/billing service/mail `
      + `service/observability ${DRIVERS} ${PLAIN}`,
    reason: "The worker imports use cases and the ports of drivers; no SQL, no HTTP."
  },
  {
    files: "service/provisioning",
    may: `${STORED} effect node: undici`,
    reason: "Drivers import their ports, the domain, and the interfaces of persistence."
  },
  {
    files: "service/http",
    may: `${CONTRACTS} ${LOW} service/config service/domain service/runtime service/instances service/operations `
      + "service/orders service/billing service/people service/observability service/ServiceRuntime "
      + "effect !effect/sql @effect/platform-node node: !node:sqlite node_modules/effect",
    reason: "HTTP imports the contract and use cases; no SQL."
  },
  {
    files: "service",
    may: "sdk/contract effect @effect/platform-node node: nodemailer yaml",
    reason: "The service knows the contract, never its clients."
  },
  {
    files: "service/admin",
    may: "service !service/provisioning/drivers sdk/contract effect @effect/platform-node node: yaml",
    reason: "Commands reach hosts through the ports of provisioning; only Drivers.ts chooses a driver."
  },
  {
    files: "service/panel/web",
    may: "preact preact-iso uplot yaml @novnc/novnc sdk/contract/PlanSpecs",
    types: `${CONTRACTS} service/panel/contract`,
    reason: "The page runs in browsers: its own files, its libraries, and types of the contracts; schemas load effect."
  },
  {
    files: "examples/*",
    may: "pulumi-vps @pulumi-vps @pulumi node:",
    reason: "Examples import the published entries by package name, as a user does."
  }
]

const isAt = (name: string, path: string): boolean =>
  path === name || path.replace(/\.tsx?$/, "") === name
  || path.startsWith(/[/:]$/.test(name) ? name : `${name}/`)

/** The folder or file by which a row applies to a file; undefined if it does not. */
const folderOf = ({ files }: Direction, path: string): string | undefined => {
  const folder = path.split("/").slice(0, files.split("/").length).join("/")
  const pattern = new RegExp(`^${files.replaceAll("*", "[^/]+")}(\\.tsx?)?$`)
  return pattern.test(folder) ? folder : undefined
}

/** True if the longest of the names that match the target allows it; of two equal ones, the first decides. */
const allows = (names: string, target: string): boolean => {
  const matching = names.split(" ").filter((name) => isAt(name.replace("!", ""), target))
  const [longest] = matching.toSorted((a, b) => b.replace("!", "").length - a.replace("!", "").length)
  return longest !== undefined && !longest.startsWith("!")
}

/** Imports against the directions. Folders without a row may import everything. */
export const misdirected = (tree: ReadonlyArray<Source>): Array<Problem> =>
  tree.flatMap((source) => {
    const rows = DIRECTIONS.flatMap((row) => {
      const folder = folderOf(row, source.path)
      return folder === undefined ? [] : [{ ...row, folder }]
    })
    const [row] = rows.toSorted((a, b) => b.folder.length - a.folder.length)
    if (row === undefined) return []
    return imports(source).flatMap(({ isType, node, specifier }) => {
      // Users' code, as examples are, names packages.
      const isName = packageOf(source.path) === undefined && !/^[.#]/.test(specifier)
      const target = isName ? specifier : resolve(source.path, specifier) ?? specifier
      const names = `${isType ? row.types ?? "" : ""} ${row.folder} ${row.may}`.trim()
      return allows(names, target) ? [] : [problem(source, node, `may not import ${specifier}. ${row.reason}`)]
    })
  })
