/** The source files of the repository, and the one parsed form that every rule reads. */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, normalize, relative } from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"

export const ROOT = fileURLToPath(new URL("../..", import.meta.url))

/** Folders whose TypeScript is checked by the style rules. */
const FOLDERS = ["sdk", "service", "provider", "examples", "test", ".config"]

/** Output of tools, which is not checked. */
export const GENERATED = new Set([".git", "node_modules", "dist", "coverage"])

/** The built programs that engines start. */
export const BUILT = new Set(["provider/plugin", "provider/terraform"])

export interface Source {
  /** Relative to the root, with slashes. */
  readonly path: string
  readonly text: string
  readonly ast: ts.SourceFile
}

export interface Problem {
  readonly path: string
  /** Counted from 1. */
  readonly line: number
  readonly message: string
}

export const parse = (path: string, text: string): Source => ({
  path,
  text,
  ast: ts.createSourceFile(
    path,
    text,
    // Comments are read from the text: parsing the JSDoc, too, would take as long as the rest.
    { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode: ts.JSDocParsingMode.ParseNone },
    true,
    path.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  )
})

export const problem = (source: Source, node: ts.Node, message: string): Problem => ({
  path: source.path,
  line: source.ast.getLineAndCharacterOfPosition(node.getStart(source.ast)).line + 1,
  message
})

const files = (folder: string): Array<string> =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return GENERATED.has(entry.name) ? [] : files(path)
    return /\.tsx?$/.test(entry.name) ? [path] : []
  })

let tree: ReadonlyArray<Source> | undefined

/** Every TypeScript file of ours, parsed once for all test files of a worker: that is most of their time. */
export const sources = (): ReadonlyArray<Source> => {
  if (tree !== undefined) return tree
  const present = new Set(readdirSync(ROOT))
  tree = FOLDERS.filter((folder) => present.has(folder))
    .flatMap((folder) => files(join(ROOT, folder)))
    .map((path) => parse(relative(ROOT, path), readFileSync(path, "utf8")))
  return tree
}

const nodesBelow = new WeakMap<ts.SourceFile, ReadonlyArray<ts.Node>>()

/** Every node of a file, parents first. Collected once, because each rule reads all of them. */
export const nodesOf = ({ ast }: Source): ReadonlyArray<ts.Node> => {
  const known = nodesBelow.get(ast)
  if (known !== undefined) return known
  const nodes: Array<ts.Node> = []
  const collect = (node: ts.Node): void => {
    nodes.push(node)
    ts.forEachChild(node, collect)
  }
  collect(ast)
  nodesBelow.set(ast, nodes)
  return nodes
}

interface Import {
  readonly specifier: string
  /** True if the program loads nothing for it. */
  readonly isType: boolean
  readonly node: ts.Node
}

const loadsNothing = (node: ts.ImportDeclaration | ts.ExportDeclaration): boolean => {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly
  const bindings = node.importClause?.namedBindings
  if (node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword) return true
  return node.importClause?.name === undefined && bindings !== undefined && ts.isNamedImports(bindings)
    && bindings.elements.length > 0 && bindings.elements.every(({ isTypeOnly }) => isTypeOnly)
}

/** Every module specifier of a file, static and dynamic, with its node. */
export const imports = (source: Source): Array<Import> => {
  const found: Array<Import> = []
  const add = (node: ts.Node | undefined, isType: boolean) => {
    if (node !== undefined && ts.isStringLiteralLike(node)) found.push({ specifier: node.text, isType, node })
  }
  for (const node of nodesOf(source)) {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) add(node.moduleSpecifier, loadsNothing(node))
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node.arguments[0], false)
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true)
  }
  return found
}

/** Files named in text, as in `new URL("./peer.ts", import.meta.url)` or `spawn("node", ["service/main.ts"])`. */
export const mentions = (source: Source): Array<string> => {
  const found: Array<string> = []
  for (const node of nodesOf(source)) {
    if (!ts.isStringLiteralLike(node) || !/\.tsx?$/.test(node.text)) continue
    found.push(normalize(join(dirname(source.path), node.text)), normalize(node.text))
  }
  return found
}
