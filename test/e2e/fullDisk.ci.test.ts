/**
 * A full disk: writes are answered with 503, reads continue, and once there is space again the service resumes with all
 * acknowledged data.
 */
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterEach, assert, describe, it, type TestContext } from "vitest"
import { adminOf } from "../support/command.ts"
import { breakableDisk, type Disk, fill, limitFiles, smallDisk } from "../support/disk.ts"
import { openShop, request } from "../support/operator.ts"
import { type ServiceProcess, startServiceWith } from "../support/serviceProcess.ts"
import { until } from "../support/until.ts"

const disposals: Array<() => unknown> = []
afterEach(async () => {
  for (const dispose of disposals.splice(0).toReversed()) await dispose()
})

const orSkip = <D extends Disk>({ skip }: TestContext, disk: D | undefined): D => {
  if (disk === undefined) return skip("this user may not mount a disk of its own")
  disposals.push(disk.remove)
  return disk
}

/** A task whose end could not be recorded is repeated after its lease, which is shortened for this test. */
const env = { VPS_SERVICE_LEASE_MILLIS: "2000" }

const start = async (database: string, ...flags: ReadonlyArray<string>): Promise<ServiceProcess> => {
  const service = await startServiceWith({ env }, ["--database", database, "--rate-limits=false", ...flags])
  disposals.push(() => service.end("SIGKILL"))
  return service
}

/** A customer who counts what was acknowledged. */
const customer = (key: string) => {
  const seen = new Map<string, number>()
  const buy = async (service: ServiceProcess, name: string) => {
    const answer = await request(service, key)("POST", "/instances", { service_id: 1 }, { "idempotency-key": name })
    if (answer.status === 201) seen.set(name, answer.body.id)
    return answer
  }
  return { buy, seen }
}

const readiness = async (service: ServiceProcess) => {
  const answer = await fetch(`${service.origin}/readyz`)
  return { status: answer.status, retryAfter: answer.headers.get("retry-after"), text: await answer.text() }
}

/** Buys a few at a time until the first one fails. */
const buyUntilRefused = async (service: ServiceProcess, buy: ReturnType<typeof customer>["buy"]): Promise<void> => {
  for (let n = 0;; n++) {
    const answers = await Promise.all([0, 1, 2, 3].map((client) => buy(service, `k-${n}-${client}`)))
    const refused = answers.find(({ status }) => status !== 201)
    if (refused === undefined) continue
    assert.strictEqual(refused.status, 503)
    assert.strictEqual(refused.headers.get("retry-after"), "1")
    assert.match(refused.body.detail, /^The database cannot be written: .*\. No changes were saved. Retry shortly\.$/)
    return
  }
}

const readsGoOn = async (service: ServiceProcess, key: string, seen: ReadonlyMap<string, number>): Promise<void> => {
  const list = await request(service, key)("GET", "/instances")
  assert.strictEqual(list.status, 200)
  assert.includeMembers(list.body.map(({ id }: { id: number }) => id), [...seen.values()])
  assert.strictEqual((await fetch(`${service.origin}/livez`)).status, 200)
  const ready = await readiness(service)
  assert.deepStrictEqual([ready.status, ready.retryAfter], [503, "1"])
  assert.include(ready.text, "The database cannot be written")
}

/** The same keys answer what they bought, those that were refused buy now, and every machine is built. */
const goesOn = async (service: ServiceProcess, key: string, { buy, seen }: ReturnType<typeof customer>) => {
  assert.strictEqual((await readiness(service)).status, 200)
  const before = new Map(seen)
  for (const [name, id] of before) assert.strictEqual((await buy(service, name)).body.id, id)
  assert.strictEqual((await buy(service, "afterwards")).status, 201)
  await until(async () => {
    const { body } = await request(service, key)("GET", "/instances")
    const states: ReadonlyArray<string> = body.map(({ status }: { status: string }) => status)
    assert.notInclude(states, "failed")
    return states.every((status) => status === "running")
  })
}

const booksAreRight = async (database: string, bought: number): Promise<void> => {
  assert.deepInclude<object>(await adminOf(database).json("verify"), { sound: true, instances: bought })
  const connection = new DatabaseSync(database, { readOnly: true })
  const machines = connection.prepare("SELECT count(*) AS n, count(DISTINCT tag) AS tags FROM simulated_machines").get()
  connection.close()
  assert.deepStrictEqual({ ...machines }, { n: bought, tags: bought })
}

describe("a disk that takes no more", () => {
  it("because it is full loses nothing, and sells nothing that it cannot store", async (context) => {
    const { folder } = orSkip(context, smallDisk(8))
    const database = join(folder, "vps.db")
    const service = await start(database)
    const key = await openShop(database, 100_000)
    const shopper = customer(key)
    assert.strictEqual((await shopper.buy(service, "before")).status, 201)
    const makeRoom = fill(folder)
    await buyUntilRefused(service, shopper.buy)
    await readsGoOn(service, key, shopper.seen)
    const backup = await adminOf(database).run(["backup", join(folder, "backup.db")])
    assert.strictEqual(backup.code, 1)
    assert.isFalse(existsSync(join(folder, "backup.db")))
    await service.end("SIGKILL")
    const again = await start(database)
    const listed = await request(again, key)("GET", "/instances")
    assert.includeMembers(listed.body.map(({ id }: { id: number }) => id), [...shopper.seen.values()])
    await buyUntilRefused(again, shopper.buy)
    await readsGoOn(again, key, shopper.seen)
    makeRoom()
    await goesOn(again, key, shopper)
    assert.strictEqual(await again.end(), 0)
    await booksAreRight(database, shopper.seen.size)
  })

  it("because of a power cut keeps every acknowledged purchase", async (context) => {
    const disk = orSkip(context, breakableDisk())
    const database = join(disk.folder, "vps.db")
    const service = await start(database)
    const key = await openShop(database, 100_000)
    const shopper = customer(key)
    for (let n = 0; n < 20; n++) assert.strictEqual((await shopper.buy(service, `before-${n}`)).status, 201)
    disk.fail()
    await buyUntilRefused(service, shopper.buy)
    await readsGoOn(service, key, shopper.seen)
    // A failed disk is remounted, which requires that no process uses it.
    await service.end("SIGKILL")
    disk.repair()
    const again = await start(database)
    await goesOn(again, key, shopper)
    assert.strictEqual(await again.end(), 0)
    await booksAreRight(database, shopper.seen.size)
  })

  it("with --synchronous normal a power cut may take the last answers, and never half of one", async (context) => {
    const disk = orSkip(context, breakableDisk())
    const database = join(disk.folder, "vps.db")
    const service = await start(database, "--synchronous", "normal")
    const key = await openShop(database, 100_000)
    const { buy, seen } = customer(key)
    for (let n = 0; n < 50; n++) assert.strictEqual((await buy(service, `k-${n}`)).status, 201)
    disk.fail()
    await service.end("SIGKILL")
    disk.repair()
    const again = await start(database)
    assert.strictEqual(await again.end(), 0)
    const { instances } = await adminOf(database).json("verify")
    assert.isAtMost(instances, seen.size)
  })

  it("because the process may grow no file loses nothing", async ({ skip }) => {
    const folder = mkdtempSync(join(tmpdir(), "vps-limit-"))
    disposals.push(() => rmSync(folder, { recursive: true, force: true }))
    const database = join(folder, "vps.db")
    const service = await start(database)
    const key = await openShop(database, 100_000)
    const shopper = customer(key)
    assert.strictEqual((await shopper.buy(service, "before")).status, 201)
    if (!limitFiles(service.pid, statSync(`${database}-wal`).size)) return skip("this system has no prlimit")
    await buyUntilRefused(service, shopper.buy)
    await readsGoOn(service, key, shopper.seen)
    limitFiles(service.pid)
    await goesOn(service, key, shopper)
    assert.strictEqual(await service.end(), 0)
    await booksAreRight(database, shopper.seen.size)
  })
})
