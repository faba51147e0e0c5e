/**
 * The mails of the built service while it is killed at each step of sending one, and while the mail server fails: each
 * is sent once, and purchases do not wait. The whole matrix is `outboxFaults.long.test.ts`.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"
import { startOutbox, STEPS } from "../support/outboxFaults.ts"
import { isAvailable, startPostgres } from "../support/postgres.ts"
import { seedDatabase } from "../support/replicas.ts"

const onSqlite = async () => {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-outbox-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const database = join(folder, "vps.db")
  await seedDatabase(database)
  return startOutbox(database, 1)
}

describe("each mail is sent once", () => {
  it("by one process that is killed at each step of sending one, and after a purchase", async () => {
    const outbox = await onSqlite()
    for (const step of STEPS) await outbox.killAt(step)
    await outbox.killAfterPurchase()
    assert.deepStrictEqual(await outbox.outcome(), { missing: [], repeated: 1 })
  })

  it("while the mail server hangs, refuses, or is down, and purchases are answered meanwhile", async () => {
    const outbox = await onSqlite()
    await outbox.buyWhile("reply", "hang", 2)
    await outbox.buyWhile("greeting", "hang", 2)
    await outbox.buyWhile("sender", 451, 5)
    await outbox.buyWhile("sender", 550, 5)
    await outbox.server.down()
    for (let count = 0; count < 3; count++) await outbox.buy()
    await outbox.server.up()
    assert.deepStrictEqual(await outbox.outcome(), { missing: [], repeated: 0 })
  })
})

describe.skipIf(!isAvailable())("each mail is sent once by two replicas (needs PostgreSQL)", () => {
  it("of which one sends to a slow mail server, and one is killed at a step of sending one", async () => {
    const server = await startPostgres()
    onTestFinished(server.close)
    await seedDatabase(server.url)
    const outbox = await startOutbox(server.url, 2)
    await outbox.buyWhile("reply", "slow", 4)
    for (const step of ["greeting", "reply", "taken"] as const) await outbox.killAt(step)
    assert.deepStrictEqual(await outbox.outcome(), { missing: [], repeated: 1 })
  })
})
