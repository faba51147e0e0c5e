/** The rules that look at one file alone. Each names what to write instead. */
import ts from "typescript"
import { imports, type Problem, problem, type Source, walk } from "./Source.ts"

export type Rule = (source: Source) => Array<Problem>

/** Lines a file may have: what a reader takes in at one sitting. */
export const MAX_FILE_LINES = 250
/** Lines a function may have: one screen. */
export const MAX_FUNCTION_LINES = 50
/** Characters a line may have; the formatter uses the same width, but leaves long texts as they are. */
const MAX_COLUMNS = 120

/** The one file of each folder that reads the environment, and the one that passes it on. */
const READS_ENVIRONMENT =
  /^((service\/config|sdk\/client\/options|provider)\/Config|sdk\/cli\/connection\/Environment|.*ProcessTuning)\.ts$/
/** Programs that talk to a terminal, and what starts other programs. */
const TOOLS = /^(\.config|examples|test)\//
const TESTS = /^test\//

const at = (path: string, line: number, message: string): Problem => ({ path, line, message })

const fileLength: Rule = ({ path, text }) => {
  const lines = text.replace(/\n$/, "").split("\n").length
  if (lines <= MAX_FILE_LINES) return []
  return [at(path, lines, `${lines} lines; at most ${MAX_FILE_LINES}: give the second topic its own file`)]
}

const lineLength: Rule = ({ path, text }) =>
  text.split("\n").flatMap((line, index) =>
    line.length <= MAX_COLUMNS ? [] : [at(path, index + 1, `${line.length} characters; at most ${MAX_COLUMNS}`)]
  )

const SUITE = /^(describe|it|test|layer|beforeAll|beforeEach|afterAll|afterEach)$/

/** True for the body of a suite or a test, which reads as a table: its length says nothing. */
const isSuite = (node: ts.Node): boolean => {
  let call: ts.Node = node.parent
  if (!ts.isCallExpression(call) || !call.arguments.includes(node as ts.Expression)) return false
  while (ts.isCallExpression(call) || ts.isPropertyAccessExpression(call)) call = call.expression
  return ts.isIdentifier(call) && SUITE.test(call.text)
}

const functionLength: Rule = (source) => {
  const found: Array<Problem> = []
  walk(source.ast, (node) => {
    if (!ts.isFunctionLike(node) || !("body" in node) || node.body === undefined) return
    if (TESTS.test(source.path) && isSuite(node)) return
    const line = (position: number) => source.ast.getLineAndCharacterOfPosition(position).line
    const lines = line(node.getEnd()) - line(node.getStart(source.ast)) + 1
    if (lines <= MAX_FUNCTION_LINES) return
    found.push(problem(source, node, `a function of ${lines} lines; at most ${MAX_FUNCTION_LINES}: name its steps`))
  })
  return found
}

/** A rule that looks at every node by itself. */
const nodes = (judge: (node: ts.Node, source: Source) => string | undefined): Rule => (source) => {
  const found: Array<Problem> = []
  walk(source.ast, (node) => {
    const message = judge(node, source)
    if (message !== undefined) found.push(problem(source, node, message))
  })
  return found
}

const isMember = (node: ts.Node, object: string, name?: string): node is ts.PropertyAccessExpression =>
  ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === object
  && (name === undefined || node.name.text === name)

const isDate = (node: ts.Node) => ts.isIdentifier(node) && node.text === "Date"

const wallClock = nodes((node, { path }) => {
  if (TOOLS.test(path)) return undefined
  const now = isMember(node, "Date", "now")
    || (ts.isNewExpression(node) && isDate(node.expression) && (node.arguments?.length ?? 0) === 0)
    || (ts.isCallExpression(node) && isDate(node.expression))
  return now ? "the wall clock: use Clock (tests and the emulator move it), or take `now` as an argument" : undefined
})

const chance = nodes((node) =>
  isMember(node, "Math", "random") ? "Math.random: use node:crypto for ids, Effect's Random for jitter" : undefined
)

const environment = nodes((node, { path }) => {
  if (TOOLS.test(path) || READS_ENVIRONMENT.test(path) || !isMember(node, "process", "env")) return undefined
  return "process.env: read it in the folder's Config.ts, where every variable has its default and its reason"
})

const output = nodes((node, { path }) => {
  if (TOOLS.test(path) || !isMember(node, "console")) return undefined
  return "console: use Effect.log, or the command's own output"
})

const anyCast = nodes((node) =>
  (ts.isAsExpression(node) || ts.isTypeAssertionExpression(node)) && node.type.kind === ts.SyntaxKind.AnyKeyword
    ? "`as any`: give it the type it has, or `unknown` and a check"
    : undefined
)

const moneyFormat = nodes((node, { path }) => {
  if (TOOLS.test(path) || path === "service/domain/Money.ts" || !ts.isPropertyAccessExpression(node)) return undefined
  return node.name.text === "toFixed"
    ? "toFixed: money is integer minor units; service/domain/Money.ts formats it"
    : undefined
})

/** The name in `Effect.gen(function*…)`, `Effect.fn("name")(function*…)` and `Effect.fnUntraced(function*…)`. */
const isEffectBody = (node: ts.Node): boolean => {
  if (!ts.isFunctionExpression(node) || node.asteriskToken === undefined) return false
  let call: ts.Node = node.parent
  while (ts.isCallExpression(call)) call = call.expression
  return isMember(call, "Effect") && /^(gen|fn|fnUntraced)$/.test(call.name.text)
}

const throwInEffect = nodes((node) => {
  if (!ts.isThrowStatement(node)) return undefined
  let around: ts.Node = node
  while (!ts.isFunctionLike(around) && around.parent !== undefined) around = around.parent
  return isEffectBody(around) ? "throw in Effect code: yield a typed error, or Effect.die for a defect" : undefined
})

const importForm: Rule = (source) =>
  imports(source).flatMap(({ node, specifier }) => {
    const say = (message: string) => [problem(source, node, `${specifier}: ${message}`)]
    if (/^\.\.?\//.test(specifier) && !/\.(ts|json)$|node_modules/.test(specifier)) {
      return say("a relative import ends in .ts: Node runs the source as it stands")
    }
    if (/^(\.\.\/)+(sdk|service|provider|examples)\//.test(specifier)) {
      return say("cross a top-level folder with #contract/X, #sdk/X, #service/X or #provider/X, so that it can be seen")
    }
    if (/(^|\/)test\//.test(specifier)) return say("nothing imports tests")
    if (/^(effect|@effect\/platform-node)$/.test(specifier)) {
      return say("import by subpath (effect/Effect): the index loads everything")
    }
    return []
  })

/** A barrel hides where a symbol is defined and loads unused modules; `graph.ts` exempts the published entries. */
export const isBarrel = ({ ast }: Source): boolean =>
  ast.statements.some((node) => ts.isExportDeclaration(node) && /^"[.#]/.test(node.moduleSpecifier?.getText(ast) ?? ""))
  && ast.statements.every((node) => ts.isExportDeclaration(node) || ts.isImportDeclaration(node))

export const RULES = {
  fileLength,
  lineLength,
  functionLength,
  wallClock,
  chance,
  environment,
  output,
  anyCast,
  moneyFormat,
  throwInEffect,
  importForm
} satisfies Record<string, Rule>
