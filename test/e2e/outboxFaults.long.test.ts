/**
 * The whole matrix of `outboxFaults.ci.test.ts`, on both databases: kill -9 at each step, a mail server that hangs at
 * each step, refuses with each kind of reply, or is down for a day. Each mail is sent once, and purchases do not wait.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"
import { clientOf } from "../support/day.ts"
import { type Fault, startMailServer, startOutbox, STEPS } from "../support/outboxFaults.ts"
import { isAvailable, startPostgres } from "../support/postgres.ts"
import { seedDatabase } from "../support/replicas.ts"
import { startServiceWith } from "../support/serviceProcess.ts"
import { until } from "../support/until.ts"

const ROUNDS = 3
/** Sessions that meet a fault before it ends. */
const TIMES = 4
const DAY = 86_400_000
const PATIENCE = 300_000

const inFile = (): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-outbox-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return Promise.resolve(join(folder, "vps.db"))
}

const onServer = async (): Promise<string> => {
  const server = await startPostgres()
  onTestFinished(server.close)
  return server.url
}

/** Replies that are about the mail server or its settings, not about the address. */
const REPLIES: ReadonlyArray<readonly [Parameters<Awaited<ReturnType<typeof startOutbox>>["buyWhile"]>[0], Fault]> = [
  ["greeting", 421],
  ["sender", 451],
  ["sender", 550],
  ["recipient", 450],
  ["text", 451],
  ["reply", 452],
  ["reply", 554]
]

const CASES = [
  { on: "one process on SQLite", makeDatabase: inFile, replicas: 1, isMissing: false },
  { on: "two replicas (needs PostgreSQL)", makeDatabase: onServer, replicas: 2, isMissing: !isAvailable() }
]

for (const { isMissing, makeDatabase, on, replicas } of CASES) {
  const started = async () => {
    const database = await makeDatabase()
    await seedDatabase(database)
    return startOutbox(database, replicas)
  }
  describe.skipIf(isMissing)(`each mail is sent once by ${on}`, () => {
    it("that is killed at each step, again and again, and as soon as purchases are acknowledged", async () => {
      const outbox = await started()
      for (let round = 0; round < ROUNDS; round++) {
        for (const step of STEPS) await outbox.killAt(step)
        await outbox.killAfterPurchase()
      }
      assert.deepStrictEqual(await outbox.outcome(), { missing: [], repeated: ROUNDS })
    }, PATIENCE)

    it("while the mail server hangs at each step", async () => {
      const outbox = await started()
      for (const step of STEPS.filter((one) => one !== "taken")) await outbox.buyWhile(step, "hang", TIMES)
      assert.deepStrictEqual(await outbox.outcome(), { missing: [], repeated: 0 })
    }, PATIENCE)

    it("while the mail server is slow at each step", async () => {
      const outbox = await started()
      for (const step of STEPS.filter((one) => one !== "taken")) {
        await outbox.buyWhile(step, "slow", 2)
        // A session that is slow at two steps takes longer than it is waited for.
        await until(outbox.waiting, (count) => count === 0)
      }
      assert.deepStrictEqual(await outbox.outcome(), { missing: [], repeated: 0 })
    }, PATIENCE)

    it("while the mail server refuses with each kind of reply", async () => {
      const outbox = await started()
      for (const [step, code] of REPLIES) await outbox.buyWhile(step, code, TIMES)
      assert.deepStrictEqual(await outbox.outcome(), { missing: [], repeated: 0 })
    }, PATIENCE)

    it("while the mail server is down for as many attempts as a day has", async () => {
      const outbox = await started()
      await outbox.buyWhileDown()
      assert.deepStrictEqual(await outbox.outcome(), { missing: [], repeated: 0 })
    }, PATIENCE)

    it("that is killed while the mail server is down, and at each step after its return", async () => {
      const outbox = await started()
      await outbox.server.down()
      await outbox.killAfterPurchase()
      await outbox.killAfterPurchase()
      await outbox.server.up()
      for (const step of STEPS) await outbox.killAt(step)
      assert.deepStrictEqual(await outbox.outcome(), { missing: [], repeated: 1 })
    }, PATIENCE)
  })
}

describe("a day without a mail server, on the emulator's clock", () => {
  it("delays mails, and drops, doubles and blocks nothing", async () => {
    const server = await startMailServer(1)
    await server.down()
    const env = { VPS_SERVICE_SMTP_URL: server.url(0) }
    const service = await startServiceWith({ env }, ["--emulator", "--database", await inFile()])
    onTestFinished(async () => void await service.end("SIGKILL"))
    const { ask, close } = clientOf(service)
    onTestFinished(close)
    const advance = (millis: number) => ask("POST", "/_emulator/clock", { advance_ms: millis })
    await ask("POST", "/_emulator/clock", { freeze: true })
    for (let hour = 0; hour < 24; hour++) {
      const { status } = await ask("POST", "/api/v1/instances", { service_id: 1, hostname: `hour-${hour}` })
      assert.strictEqual(status, 201)
      await advance(DAY / 24)
    }
    const waiting = async () => /^vps_mails_waiting (\d+)$/m.exec((await ask("GET", "/metrics")).body)?.[1]
    assert.strictEqual(await waiting(), "24")
    await server.up()
    await until(async () => {
      await advance(60_000)
      return waiting()
    }, (count) => count === "0")
    const subjects = server.taken.map(({ subject }) => subject)
    assert.lengthOf(subjects, 24)
    assert.lengthOf(new Set(subjects), 24)
  }, PATIENCE)
})
