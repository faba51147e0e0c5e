/** Every finding of the language rules in the tree, and the folders that have none and may get none. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { language, names, pageLanguage } from "./language.ts"
import { type Problem, ROOT, type Source, sources } from "./Source.ts"

/** Folders and files without a finding. Add a folder as soon as `npm run language -- FOLDER` finds nothing. */
export const CLEAN: ReadonlyArray<string> = [
  ".config",
  "ARCHITECTURE.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "README.md",
  "SECURITY.md",
  "docs",
  "examples",
  "provider",
  "sdk/cli",
  "sdk/client",
  "sdk/contract",
  "sdk/testing",
  "service/App.ts",
  "service/Embedded.ts",
  "service/ServiceRuntime.ts",
  "service/admin",
  "service/auth",
  "service/billing",
  "service/bin.ts",
  "service/catalogue",
  "service/config",
  "service/domain",
  "service/emulator",
  "service/http",
  "service/idempotency",
  "service/instances",
  "service/ledger",
  "service/mail",
  "service/main.ts",
  "service/observability",
  "service/operations",
  "service/orders",
  "service/panel",
  "service/persistence",
  "service/provisioning",
  "service/ratelimit",
  "service/runtime",
  "service/tasks",
  "test"
]

/** The words themselves, and samples of what breaks the rules. */
const QUOTES = new Set(["test/tidy/terms.ts", "test/tidy/language.test.ts"])

/** The specification's sentences are quoted in the tables as they are. */
const PAGES = ["*.md", "docs/**/*.md", "{sdk,service,provider,examples}/**/*.md", "test/{programs,provider}/**/*.md"]

const isOurs = (path: string): boolean => !/(?:^|\/)node_modules\//.test(path)

export const findings = (tree: ReadonlyArray<Source> = sources()): ReadonlyArray<Problem> => [
  ...tree.filter(({ path }) => !QUOTES.has(path)).flatMap((source) => [...language(source), ...names(source)]),
  ...globSync(PAGES, { cwd: ROOT }).filter(isOurs).flatMap((path) =>
    pageLanguage(path, readFileSync(join(ROOT, path), "utf8"))
  )
]

/** A folder includes those below it. */
export const isWithin = (folders: ReadonlyArray<string>) => ({ path }: Pick<Problem, "path">): boolean =>
  folders.some((folder) => path === folder || path.startsWith(`${folder}/`))
