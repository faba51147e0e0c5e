/** Acknowledged purchases survive: parallel creates, empty wallets, and kill -9 in the middle of a storm. */
import { afterEach, assert, describe, it } from "vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"

const disposals: Array<() => unknown> = []
afterEach(async () => {
  for (const dispose of disposals.splice(0).toReversed()) await dispose()
})

const start = async (...flags: ReadonlyArray<string>) => {
  const service = await startService("--emulator", ...flags)
  disposals.push(() => service.end("SIGKILL"))
  return service
}

/** The fields of responses that this test uses. */
interface Body {
  readonly id: number
  readonly api_key: string
  readonly balanced: boolean
  readonly journals: ReadonlyArray<{ readonly kind: string }>
}

const call = async (
  service: ServiceProcess,
  method: string,
  path: string,
  body?: unknown,
  headers = {},
  key?: string
) => {
  const response = await fetch(path.startsWith("/_") ? `${service.origin}${path}` : `${service.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key ?? service.apiKey}`, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  return { status: response.status, headers: response.headers, body: (await response.json()) as Body }
}

const create = (service: ServiceProcess, idempotencyKey: string, key?: string) =>
  call(service, "POST", "/instances", { service_id: 1 }, { "idempotency-key": idempotencyKey }, key)

const purchases = async (service: ServiceProcess) => {
  const { body } = await call(service, "GET", "/_emulator/ledger")
  assert.isTrue(body.balanced)
  return body.journals.filter((journal) => journal.kind === "instance_create")
}

/** Polls until the condition holds; the test's own timeout bounds it. */
const eventually = async <A>(read: () => Promise<A>, holds: (value: A) => boolean): Promise<A> => {
  for (;;) {
    const value = await read()
    if (holds(value)) return value
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

describe("parallel creates over HTTP", () => {
  it("50 identical ones with one key: one instance, one charge, 50 times 201", async () => {
    const service = await start()
    const answers = await Promise.all(Array.from({ length: 50 }, () => create(service, "same")))
    assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [201])
    assert.strictEqual(new Set(answers.map(({ body }) => body.id)).size, 1)
    assert.strictEqual(answers.filter(({ headers }) => headers.get("idempotent-replayed") === null).length, 1)
    assert.lengthOf(await purchases(service), 1)
  })

  it("200 on a wallet for 10: exactly 10, never below zero", async () => {
    const service = await start()
    const account = { email: "ten@example.test", wallet: 49.9 }
    const { api_key: key } = (await call(service, "POST", "/_emulator/accounts", account)).body
    const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => create(service, `k${n}`, key)))
    const counts = (status: number) => answers.filter((answer) => answer.status === status).length
    assert.deepStrictEqual([counts(201), counts(402)], [10, 190])
    assert.lengthOf(await purchases(service), 10)
    const preview = await call(service, "POST", "/instances?dry_run=true", { service_id: 1 }, {}, key)
    assert.deepInclude<object>(preview.body, { wallet_balance: 0, sufficient_funds: false, would_create: false })
  })
})

describe("kill -9 during a storm of creates", () => {
  it("every 201 that a client saw exists, the ledger sums to zero, every paid instance deploys", async () => {
    const folder = mkdtempSync(join(tmpdir(), "vps-storm-"))
    disposals.push(() => rmSync(folder, { recursive: true }))
    const database = ["--database", join(folder, "vps.db")]
    const seen = new Set<number>()
    const first = await start(...database)
    const wallet = await call(first, "POST", "/_emulator/wallet", { amount: 100_000 })
    assert.strictEqual(wallet.status, 200)

    let next = 0
    const client = async () => {
      for (;;) {
        const answer = await create(first, `storm-${next++}`).catch(() => undefined)
        if (answer === undefined) return
        assert.strictEqual(answer.status, 201)
        seen.add(answer.body.id)
        if (seen.size === 400) await first.end("SIGKILL")
      }
    }
    await Promise.all(Array.from({ length: 32 }, client))

    const second = await start(...database)
    const list = async () =>
      (await call(second, "GET", "/instances")).body as unknown as Array<{ id: number; status: string }>
    const ids = (await list()).map(({ id }) => id)
    assert.includeMembers(ids, [...seen])
    // A create whose response was lost after its commit exists and is paid. There may be no other difference.
    assert.lengthOf(await purchases(second), ids.length)
    const deployed = await eventually(list, (all) => all.every(({ status }) => status === "running"))
    assert.lengthOf(deployed, ids.length)
    assert.strictEqual((await create(second, "storm-0")).headers.get("idempotent-replayed"), "true")
  })
})
