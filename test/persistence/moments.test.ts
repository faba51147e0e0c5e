/** Statements receive the time as a parameter: the database's clock would disagree with an emulator's. */
import { assert, describe, it } from "@effect/vitest"
import ts from "typescript"
import { nodesOf, parse, type Source, sources } from "../tidy/Source.ts"

/** The time functions of SQLite and PostgreSQL. */
const NAMES = ["now", "unixepoch", "julianday", "strftime", "datetime", "clock_timestamp", "statement_timestamp"]
const CLOCK = new RegExp(`\\bcurrent_(?:timestamp|time|date)\\b|\\b(?:${NAMES.join("|")})\\(`, "i")

/** Texts that could hold a statement. */
const texts = (source: Source): ReadonlyArray<string> =>
  nodesOf(source).filter((node) => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node))
    .map((node) => node.getText(source.ast))

const asking = (source: Source): ReadonlyArray<string> => texts(source).filter((text) => CLOCK.test(text))

/** Places that read the database's clock on purpose. */
const ITS_CLOCK = new Set([
  // The clock that replicas share is the database's.
  "service/persistence/postgres/Clock.ts",
  // A migration runs once, before any clock of the service does.
  "service/persistence/sqlite/Dialect.ts",
  "service/persistence/postgres/Dialect.ts"
])

describe("a statement", () => {
  it("takes the time from its caller, and never from the database", () => {
    const service = sources().filter(({ path }) => path.startsWith("service/"))
    assert.isAbove(service.length, 200)
    const found = service.filter((source) => asking(source).length > 0).map(({ path }) => path)
    assert.deepStrictEqual(found.filter((path) => !ITS_CLOCK.has(path)), [])
  })

  it.each([
    "run(\"UPDATE tasks SET run_at = unixepoch() * 1000\")",
    "run(`SELECT ${column} FROM tasks WHERE run_at < now()`)",
    "run(\"INSERT INTO orders VALUES (CURRENT_TIMESTAMP)\")"
  ])("that reads the database is found: %s", (text) => {
    assert.lengthOf(asking(parse("service/a.ts", text)), 1)
  })
})
