/** The check of types reads every program of the repository: the compiler passes over folders whose name has a dot. */
import { readdirSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import ts from "typescript"
import { assert, describe, it } from "vitest"
import { CHECKS } from "../../.config/checks.ts"
import { ignored } from "./graph.ts"
import { BUILT, GENERATED, ROOT } from "./Source.ts"

const PROGRAM = /\.[cm]?[jt]sx?$/

/** Files that no configuration reads, with the reason. */
const UNREAD = new Map([
  [
    "examples/policies/index.mts",
    "needs @pulumi/policy, which only test/e2e/provider-policies.ci.test.ts installs, to run it"
  ]
])

const filesBelow = (folder: string): Array<string> =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (
      GENERATED.has(entry.name) || BUILT.has(relative(ROOT, path)) || (folder === ROOT && ignored(entry.name))
    ) return []
    if (entry.isDirectory()) return filesBelow(path)
    return PROGRAM.test(entry.name) ? [relative(ROOT, path)] : []
  })

/** The files that a configuration names, without those that they import. */
const filesOf = (path: string): Array<string> => {
  const { config, error } = ts.readConfigFile(join(ROOT, path), ts.sys.readFile)
  if (error !== undefined) throw new Error(`${path}: ${ts.flattenDiagnosticMessageText(error.messageText, "\n")}`)
  const { errors, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, join(ROOT, dirname(path)))
  if (errors.length > 0) throw new Error(`${path}: ${errors.map(({ messageText }) => messageText).join("\n")}`)
  return fileNames.map((name) => relative(ROOT, name))
}

/** The configurations that the check of types names. */
const checked = (): Array<string> =>
  CHECKS.filter(({ name }) => name === "types").flatMap(({ commands }) =>
    commands.map((command) => join(command[command.indexOf("-p") + 1] ?? "", "tsconfig.json"))
  )

describe("the type check", () => {
  const read = new Set(checked().flatMap(filesOf))
  const unread = filesBelow(ROOT).filter((path) => !read.has(path))

  it("reads every file, except those that name a reason", () => {
    assert.deepStrictEqual(unread.filter((path) => !UNREAD.has(path)), [])
  })
  it("has no exception that it reads, or that is gone", () => {
    assert.deepStrictEqual([...UNREAD.keys()].filter((path) => !unread.includes(path)), [])
  })
})
