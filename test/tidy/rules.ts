/** The rules that look at one file alone. Each names what to write instead. */
import ts from "typescript"
import { INSTANCE } from "#provider/instance/Definition"
import { BACKUP_RESTORE, SNAPSHOT_RESTORE } from "#provider/restore/Definition"
import { REVERSE_DNS } from "#provider/reverse-dns/Definition"
import { SNAPSHOT } from "#provider/snapshot/Definition"
import { imports, nodesOf, type Problem, problem, type Source } from "./Source.ts"
import { texts } from "./texts.ts"

export type Rule = (source: Source) => Array<Problem>

/** Characters a line may have; the formatter uses the same width, but leaves long texts as they are. */
const MAX_COLUMNS = 120

/** The one file of each folder that reads the environment, and the one that passes it on. */
const READS_ENVIRONMENT =
  /^(service\/config\/FromProcess|(sdk\/client\/options|provider)\/Config|sdk\/cli\/.*Environment|.*Tuning)\.ts$/
/** The page in a browser, which has no other clock. */
const BROWSER = /^service\/panel\/web\//
/** Programs that talk to a terminal, and what starts other programs. */
const TOOLS = /^(\.config|examples|test)\//

const at = (path: string, line: number, message: string): Problem => ({ path, line, message })

const lineLength: Rule = ({ path, text }) =>
  text.split("\n").flatMap((line, index) =>
    line.length <= MAX_COLUMNS ? [] : [at(path, index + 1, `${line.length} characters; at most ${MAX_COLUMNS}`)]
  )

/** A rule that looks at every node by itself. */
const nodes = (judge: (node: ts.Node, source: Source) => string | undefined): Rule => (source) =>
  nodesOf(source).flatMap((node) => {
    const message = judge(node, source)
    return message === undefined ? [] : [problem(source, node, message)]
  })

const isMember = (node: ts.Node, object: string, name?: string): node is ts.PropertyAccessExpression =>
  ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === object
  && (name === undefined || node.name.text === name)

const isDate = (node: ts.Node) => ts.isIdentifier(node) && node.text === "Date"

const wallClock = nodes((node, { path }) => {
  if (TOOLS.test(path) || BROWSER.test(path)) return undefined
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
  return "process.env: read it in the folder's one file that may, so that every variable has its default and its reason"
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

/** Programs of users, in the style of their tests. */
const CONSUMERS = /^(examples|test\/e2e\/consumer)\//

const assertions = nodes((node, { path }) => {
  if (CONSUMERS.test(path)) return undefined
  if (ts.isPropertyAccessExpression(node) && /^vi\.wait(For|Until)$/.test(node.getText())) {
    return "vi.waitFor: write until, of test/support/until.ts, which says what the last value was"
  }
  if (!ts.isImportSpecifier(node) || node.name.text !== "expect") return undefined
  return "expect: write assert; test/support/like.ts compares with patterns, and test/support/until.ts waits"
})

const fileName: Rule = ({ path }) => {
  const [, name = ""] = /([^/]+)\.test\.ts$/.exec(path) ?? []
  if (name === "" || /^[a-z][A-Za-z0-9]*(\.(ci|long))?$/.test(name)) return []
  return [at(path, 1, "the name of a test file begins with a small letter and has neither hyphens nor underscores")]
}

const importForm: Rule = (source) =>
  imports(source).flatMap(({ node, specifier }) => {
    const say = (message: string) => [problem(source, node, `${specifier}: ${message}`)]
    if (/^\.\.?\//.test(specifier) && !/\.(tsx?|css|json)$|node_modules/.test(specifier)) {
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

/** Code above the port to hypervisors. */
const ABOVE_DRIVERS = /^service\/(admin|domain|operations|tasks)\//

const driverNames: Rule = ({ path, text }) => {
  if (!ABOVE_DRIVERS.test(path)) return []
  return text.split("\n").flatMap((line, index) =>
    /libvirt|virsh|qemu\//i.test(line)
      ? [at(path, index + 1, "names a driver: its texts and acts come from HostAdmin or Driver")]
      : []
  )
}

/** The provider below its hosts, but what reads a stack of Pulumi, and the descriptions, which each host translates. */
const BELOW_HOSTS = /^provider\/(?!(?:classes|dynamic|functions|orphans|plugin-host|pulumi|terraform-host)\/|HostWords)/
const HAS_PULUMIS_WORDS = /\/(?:Definition|Rename|Stack)\.ts$/
const DEFINED = [INSTANCE, SNAPSHOT, REVERSE_DNS, SNAPSHOT_RESTORE, BACKUP_RESTORE]
  .flatMap(({ inputs, outputs }) => Object.keys({ ...inputs, ...outputs })).filter((name) => /[A-Z]/.test(name))
const HOSTS_WORD = new RegExp(`\\b(?:pulumi [a-z]|vps:[a-z]+[A-Z]|generation: |(?:${DEFINED.join("|")})\\b)`)

const hostWords: Rule = (source) =>
  BELOW_HOSTS.test(source.path) && !HAS_PULUMIS_WORDS.test(source.path)
    ? texts(source).flatMap(({ kind, line, text }) => {
      const found = kind === "string" ? HOSTS_WORD.exec(text) : null
      const message = `"${found?.[0]}": each host has its own Words`
      return found === null ? [] : [at(source.path, line, message)]
    })
    : []

export const RULES = {
  lineLength,
  wallClock,
  chance,
  environment,
  output,
  anyCast,
  moneyFormat,
  throwInEffect,
  assertions,
  fileName,
  importForm,
  driverNames,
  hostWords
} satisfies Record<string, Rule>
