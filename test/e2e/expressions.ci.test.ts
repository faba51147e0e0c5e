/** No input can block the service by a regular expression: each runs in linear time (ReDoS). */
import { checkSync } from "recheck"
import ts from "typescript"
import { assert, beforeAll, describe, it } from "vitest"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { runNode } from "../support/command.ts"
import { nodesOf, ROOT, type Source, sources } from "../tidy/Source.ts"

interface Expression {
  readonly where: string
  readonly source: string
  readonly flags: string
}

/** Its expressions read our own statements, which no input reaches: `test/security/injection.test.ts`. */
const READS_OUR_OWN = ["service/persistence/postgres/Database.ts"]

const product = sources().filter(({ path }) => /^(?:service|sdk|provider)\//.test(path))
const tree = product.filter(({ path }) => !READS_OUR_OWN.includes(path))

const lineOf = ({ ast, path }: Source, node: ts.Node): string =>
  `${path}:${ast.getLineAndCharacterOfPosition(node.getStart(ast)).line + 1}`

const written = (source: Source): ReadonlyArray<Expression> =>
  nodesOf(source).filter(ts.isRegularExpressionLiteral).map((node) => {
    const end = node.text.lastIndexOf("/")
    return { where: lineOf(source, node), source: node.text.slice(1, end), flags: node.text.slice(end + 1) }
  })

/** Where an expression is put together, with `new` or without. */
const making = (source: Source): ReadonlyArray<string> =>
  nodesOf(source).filter((node) =>
    (ts.isNewExpression(node) || ts.isCallExpression(node)) && ts.isIdentifier(node.expression)
    && node.expression.text === "RegExp"
  ).map((node) => lineOf(source, node))

/** The checker tests some expressions with random texts, with the same seed in every run. */
const SEED = 1

/** The slowest expression takes 2 s, and all 25 s, on a computer that does nothing else. */
const ONE_MILLIS = 60_000
const ALL_MILLIS = 300_000

/** The reason that an expression is not linear; undefined if it is. */
const fault = ({ flags, source, where }: Expression): string | undefined => {
  const result = checkSync(source, flags, { timeout: ONE_MILLIS, randomSeed: SEED })
  if (result.status === "safe") return undefined
  const attack = result.status === "vulnerable" ? `${result.complexity.summary}: ${result.attack.pattern}` : "unknown"
  return `${where} /${source}/${flags} is ${attack}`
}

beforeAll(() => {
  // The checker in this process, not in Java or a binary that may not be there.
  process.env["RECHECK_SYNC_BACKEND"] = "pure"
})

describe("every regular expression", () => {
  it("of our own statements is in a file that exists", () => {
    const exempt = product.filter((source) => READS_OUR_OWN.includes(source.path) && written(source).length > 0)
    assert.deepStrictEqual(exempt.map(({ path }) => path), READS_OUR_OWN)
  })

  it("that is written down takes linear time", () => {
    const found = tree.flatMap(written)
    assert.isAbove(found.length, 60)
    assert.deepStrictEqual(found.map(fault).filter((one) => one !== undefined), [])
  }, ALL_MILLIS)

  it("that is put together takes linear time, and is put together once, when its module is loaded", async () => {
    const makers = tree.filter((source) => making(source).length > 0)
    const addresses = makers.map(({ path }) => pathToFileURL(join(ROOT, path)).href)
    const { code, stderr, stdout } = await runNode([
      "--conditions=pulumi-vps-source",
      "test/security/madeExpressions.ts",
      ...addresses
    ])
    assert.deepStrictEqual([code, stderr], [0, ""])
    const made: ReadonlyArray<Expression> = JSON.parse(stdout)
    assert.isAtLeast(made.length, makers.flatMap(making).length)
    assert.deepStrictEqual(made.map(fault).filter((one) => one !== undefined), [])
  }, ALL_MILLIS)

  it("can be distinguished from a bad one by the checker", () => {
    for (const source of ["^(a+)+$", "\\s+$", "^(.*)a(.*)b$", "(a|a)*$"]) {
      assert.include(fault({ where: "", source, flags: "" }), "is ")
    }
    assert.isUndefined(fault({ where: "", source: "^[a-z]{1,64}$", flags: "" }))
  })
})
