/** Numbers in the documents are those of the code. */
import { assert, describe, it } from "vitest"
import { CLIENTS, SERVICE } from "../../.config/build/entryChecks.ts"
import { GROSS, MACHINES, MONEY } from "../programs/simulator/Mutants.ts"
import { PLANTED_SEEDS } from "../programs/simulator/seeds.ts"
import { ENDPOINTS } from "../support/endpoints.ts"
import { readTables } from "../spec/Tables.ts"
import { assertAccepted, outcomesIn, type Situation, SITUATIONS } from "../support/postgresDay.ts"
import { DOCUMENTS, readDocument } from "../support/documents.ts"
import { DEFAULT_LIMITS } from "../support/limits.ts"

const minutes = (millis: number) => millis / 60_000
const { rows } = readTables()
const departures = rows.filter(({ notes }) => notes.some((note) => note.startsWith("Departs"))).length
const { ATTEMPTS_MAX, LEASE_MILLIS, LIBVIRT_BOOT_MILLIS, LIBVIRT_COPY_MILLIS, PROVISION_PATIENCE_MILLIS } =
  DEFAULT_LIMITS

/** Pages, with what each must say. */
const STATEMENTS: ReadonlyArray<readonly [document: string, statement: string]> = [
  ["docs/guarantees.md", `for each of ${rows.length} sentences. ${departures} of them say how the service departs`],
  [
    "docs/guarantees.md",
    `each of ${GROSS.length + MONEY.length + MACHINES.length} planted bugs within ${PLANTED_SEEDS} seeds`
  ],
  ["docs/guarantees.md", `tests ${ENDPOINTS.length} endpoints`],
  ["ARCHITECTURE.md", `a lease of ${LEASE_MILLIS / 1_000} s`],
  ["ARCHITECTURE.md", `${ATTEMPTS_MAX} attempts, and at least ${minutes(PROVISION_PATIENCE_MILLIS)} minutes`],
  ["docs/real-instances.md", `within ${minutes(LIBVIRT_BOOT_MILLIS)} minutes (\`VPS_SERVICE_LIBVIRT_BOOT_MILLIS\`)`],
  ["docs/real-instances.md", `have ${minutes(LIBVIRT_COPY_MILLIS)} minutes`]
]

describe("numbers in the documents", () => {
  it.each(STATEMENTS)("%s says: %s", (document, statement) => {
    assert.include(readDocument(document).replaceAll(/\s+/g, " "), statement)
  })
  it("of the day of PostgreSQL are what its test accepts, for each of its situations", () => {
    const outcomes = outcomesIn(readDocument("docs/guarantees.md"))
    const situations = Object.keys(SITUATIONS) as ReadonlyArray<Situation>
    assert.deepStrictEqual([...outcomes.keys()].join(), situations.join())
    for (const situation of situations) assertAccepted(situation, outcomes.get(situation)!)
  })
  it("name the versions of Node.js that the entries check", () => {
    const required = DOCUMENTS.flatMap((path) =>
      [...readDocument(path).matchAll(/requires? Node\.js ([\d.]+\d)/g)].map(([, version]) => `${path}: ${version}`)
    )
    const wrong = required.filter((line) => ![CLIENTS, SERVICE.replace(".0", "")].includes(line.split(": ")[1]!))
    assert.deepStrictEqual(wrong, [])
    assert.isAbove(required.length, 4)
  })
})
