/** Every finding of the language rules in the tree. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { language, names, pageLanguage } from "./language.ts"
import { type Problem, ROOT, type Source, sources } from "./Source.ts"

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
