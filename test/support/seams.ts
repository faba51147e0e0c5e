/** The bundles that one process may load, and the modules with state that it gets more than once. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import ts from "typescript"
import { parse, ROOT } from "../tidy/Source.ts"

/** The file that `.config/build.ts` writes. */
export interface Built {
  /** The source files in each bundle, by its entry. */
  readonly contents: ReadonlyArray<readonly [entry: string, inputs: ReadonlyArray<string>]>
}

export const readBuilt = (): Built =>
  JSON.parse(readFileSync(join(ROOT, "node_modules/.cache/pulumi-vps/bundles.json"), "utf8"))

const LAZY = /^service\/(http\/system\/ReferenceScript|mail\/Smtp|people\/WebAuthn|persistence\/postgres\/Library)/
const CLIENT = /^sdk\/(client|common|effect|index)/

/** The programs, with the bundles and files that they load at once or later. */
export const PROCESSES: Readonly<Record<string, (path: string) => boolean>> = {
  "vps-service": (path) => path === "service/main.ts" || LAZY.test(path),
  "vps-service admin": (path) => path === "service/admin/cli/main.ts" || LAZY.test(path),
  vps: (path) => /^(sdk\/(cli|client\/(chain\/(Agent|Strict)|errors))|provider\/orphans)/.test(path),
  "a program": (path) =>
    CLIENT.test(path) || LAZY.test(path) ||
    /^(sdk\/testing\/|service\/Embedded\.ts|provider\/(?!(plugin|terraform)-host\/))/.test(path),
  "pulumi-resource-vps": (path) => path === "provider/plugin-host/main.ts",
  "terraform-provider-vps": (path) => path === "provider/terraform-host/main.ts"
}

const COLLECTIONS = new Set(["Map", "Set", "WeakMap", "WeakSet", "AsyncLocalStorage", "WeakRef"])

/** True for a collection that is empty at first: something is added later. */
const isEmptyCollection = (node: ts.Expression | undefined): boolean => {
  if (node === undefined) return false
  if (ts.isArrayLiteralExpression(node)) return node.elements.length === 0
  return ts.isNewExpression(node) && COLLECTIONS.has(node.expression.getText()) && (node.arguments ?? []).length === 0
}

/** True for a module with variables, or with collections that begin empty. */
export const hasState = (path: string, text: string): boolean =>
  parse(path, text).ast.statements.some((statement) =>
    ts.isVariableStatement(statement)
    && (!(statement.declarationList.flags & ts.NodeFlags.Const)
      || statement.declarationList.declarations.some(({ initializer }) => isEmptyCollection(initializer)))
  )

/** Modules in more than one of the bundles that a process loads, with these. */
export const copies = ({ contents }: Built, loads: (path: string) => boolean): Map<string, Array<string>> => {
  const found = new Map<string, Array<string>>()
  // The builds without Node.js and in CommonJS have the same entries: a program loads one of them.
  const bundles = new Map([...contents].toReversed())
  for (const [entry, inputs] of bundles) {
    if (loads(entry)) { for (const path of inputs) found.set(path, [...found.get(path) ?? [], entry]) }
  }
  return new Map([...found].filter(([, entries]) => entries.length > 1))
}
