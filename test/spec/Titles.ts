/** The full titles of tests, as their source writes them: `describe > it`, a pattern where `each` makes many of one. */
import ts from "typescript"
import type { Source } from "../tidy/Source.ts"

const SEPARATOR = " > "

const TESTS = new Set(["it", "test"])
const GROUPS = new Set(["describe", "layer"])

/** The name at the root of `describe.each(rows)`, `it.effect.prop`, `layer(app)`, ... */
const rootOf = (expression: ts.Expression): string => {
  let at = expression
  while (ts.isPropertyAccessExpression(at) || ts.isCallExpression(at)) at = at.expression
  return ts.isIdentifier(at) ? at.text : ""
}

/** A title as it is written; a template's without its quotes. */
const titleOf = (node: ts.Node | undefined): string | undefined => {
  if (node === undefined) return undefined
  if (ts.isStringLiteralLike(node)) return node.text
  return ts.isTemplateExpression(node) ? node.getText().slice(1, -1) : undefined
}

/** A suite's rules (`test/persistence/suite`): the sentences are the names of its properties. */
const rulesOf = (node: ts.Node): ReadonlyArray<string> => {
  if (!ts.isVariableDeclaration(node) || node.type?.getText() !== "Rules" || node.initializer === undefined) return []
  if (!ts.isObjectLiteralExpression(node.initializer)) return []
  return node.initializer.properties.flatMap(({ name }) =>
    name !== undefined && ts.isStringLiteral(name) ? name.text : []
  )
}

/** Every test that the file writes down. */
export const titlesOf = (source: Source): ReadonlySet<string> => {
  const found = new Set<string>()
  const look = (node: ts.Node, path: ReadonlyArray<string>): void => {
    for (const rule of rulesOf(node)) found.add(rule)
    if (!ts.isCallExpression(node)) return ts.forEachChild(node, (child) => look(child, path))
    const root = rootOf(node.expression)
    const title = titleOf(node.arguments[0])
    const inner = GROUPS.has(root) && title !== undefined ? [...path, title] : path
    if (TESTS.has(root) && title !== undefined) found.add([...path, title].join(SEPARATOR))
    ts.forEachChild(node, (child) => look(child, inner))
  }
  look(source.ast, [])
  return found
}
