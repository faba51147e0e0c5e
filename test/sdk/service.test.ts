/** The Promise client against the real service, a process in emulator mode. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Sdk from "#sdk/index"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"
import { startLossyWire } from "./support/lossy.ts"

describe("against the service", () => {
  let service: ServiceProcess
  let vps: Sdk.Vps

  const client = (apiKey: string) => new Sdk.Vps({ apiKey, baseUrl: service.url, maxRetries: 0 })
  const failure = (call: Promise<unknown>) => call.then(() => undefined, (reason: unknown) => reason)
  const control = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${service.origin}/_emulator${path}`, {
      method,
      headers: { "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    assert.isTrue(answer.ok, `${method} ${path}: ${answer.status}`)
    return answer.json() as Promise<Record<string, unknown>>
  }

  beforeAll(async () => {
    service = await startService("--emulator")
    vps = new Sdk.Vps({ apiKey: service.apiKey, baseUrl: service.url })
    await control("PUT", "/deploy", { mode: "instant" })
  })

  afterAll(async () => {
    await vps.close()
    await service.end()
  })

  it("previews a purchase without buying", async () => {
    const before = await vps.instances.list()
    const preview = await vps.instances.dryRun({ service_id: 2 })
    assert.deepInclude(preview, { dry_run: true, would_create: true, charge_amount: 9.99, sufficient_funds: true })
    assert.strictEqual((await vps.instances.list()).length, before.length)
  })

  it("powers off and on; nothing to do needs no task", async () => {
    const { id } = await vps.instances.createAndWait({ service_id: 1 })
    assert.strictEqual((await vps.power.start(id)).task_id, null)
    assert.isNumber((await vps.power.stop(id)).task_id)
    // Waits for the previous task: a busy response is retried after its Retry-After.
    assert.isNumber((await vps.power.start(id)).task_id)
  })

  it("the same key twice is one instance and one charge", async () => {
    const body = { service_id: 1 }
    const first = await vps.instances.create(body, { idempotencyKey: "twice" }).withResponse()
    const second = await vps.instances.create(body, { idempotencyKey: "twice" }).withResponse()
    assert.strictEqual(first.data.id, second.data.id)
    assert.isUndefined(first.response.headers["idempotent-replayed"])
    assert.strictEqual(second.response.headers["idempotent-replayed"], "true")
    assert.deepInclude(await vps.instances.dryRun(body, { idempotencyKey: "twice" }), { would_create: false })
    const { charge_amount } = await vps.instances.dryRun(body)
    assert.strictEqual(charge_amount, 4.99)
  })

  it("a create whose response is lost buys once and succeeds", async () => {
    const before = await vps.instances.dryRun({ service_id: 1 })
    const wire = await startLossyWire(service.url)
    const far = new Sdk.Vps({ apiKey: service.apiKey, baseUrl: wire.baseUrl })
    wire.loseNext()
    const { data, response } = await far.instances.create({ service_id: 1 }).withResponse()
    await far.close()
    await wire.close()
    assert.strictEqual(response.attempts, 2)
    assert.strictEqual(response.headers["idempotent-replayed"], "true")
    const after = await vps.instances.dryRun({ service_id: 1 })
    assert.closeTo(before.wallet_balance - after.wallet_balance, 4.99, 0.001)
    assert.strictEqual((await vps.instances.get(data.id)).id, data.id)
  })

  it("401: an invalid key", async () => {
    const error = await failure(client("vps_live_wrong").account.whoami())
    assert(error instanceof Sdk.UnauthorizedError)
    assert.isString(error.requestId)
    assert.notInclude(error.message, "vps_live_wrong")
  })

  it("402: an empty wallet", async () => {
    const { api_key } = await control("POST", "/accounts", { email: "poor@example.test", wallet: 1 })
    const poor = client(String(api_key))
    const error = await failure(poor.instances.create({ service_id: 1 }))
    assert(error instanceof Sdk.PaymentRequiredError)
    assert.deepStrictEqual([error.status, error.attempts, error.method, error.path], [402, 1, "POST", "/instances"])
    assert.match(error.idempotencyKey ?? "", /^sdk-/)
    assert.deepInclude(await poor.instances.dryRun({ service_id: 1 }), { sufficient_funds: false, would_create: false })
  })

  it("422: every problem in a body", async () => {
    const error = await failure(vps.instances.create({ service_id: 0, hostname: "", root_password: "short" }))
    assert(error instanceof Sdk.ValidationError)
    assert.deepStrictEqual(error.issues.map(({ loc, type }) => [loc.join("."), type]), [
      ["body.service_id", "greater_than"],
      ["body.hostname", "string_too_short"],
      ["body.root_password", "string_too_short"]
    ])
    assert.notInclude(JSON.stringify(error), "\"short\"")
  })
})
