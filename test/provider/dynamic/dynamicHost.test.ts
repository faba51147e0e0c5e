import { assert, describe, it } from "vitest"
import type { Settings } from "#provider/Config"
import { DynamicHost } from "#provider/dynamic/DynamicHost"
import type { Lifecycle } from "#provider/session/Lifecycle"
import { instanceLifecycle } from "#provider/instance/Instance"
import { PartialCreateError, UserError } from "#provider/api/Errors"
import { URN } from "../Runs.ts"
import { Environment } from "../Environment.ts"
import { apiError } from "../Faults.ts"
import { assertLike, containing } from "../../support/like.ts"

const config = (values: Record<string, string> = {}) => ({ config: { get: (key: string) => values[key] } })
const program = { serviceId: 1, __urn: URN, __provider: "text" }

/** A lifecycle in which every call fails in the same way. */
const failing = (error: unknown): Lifecycle => {
  const fail = async (): Promise<never> => {
    throw error
  }
  return {
    check: fail,
    diff: fail,
    create: fail,
    read: fail,
    update: fail,
    delete: fail,
    inputsOf: (outputs) => outputs
  }
}
const serve = async (lifecycle: Lifecycle) => {
  const env = await Environment.make()
  const host = new DynamicHost(env.host, () => env.api).serve(lifecycle)
  host.configure(config())
  return host
}
const thrown = (work: Promise<unknown>): Promise<Record<string, unknown> & Error> =>
  work.then(() => assert.fail("it must fail"), (error: unknown) => error as Record<string, unknown> & Error)

describe("the dynamic host", () => {
  it("lets no error with an id out: the engine would take it for a half-made resource", async () => {
    const host = await serve(failing(Object.assign(apiError(402, "no money"), { id: "err-123" })))
    const calls = [host.create(program), host.update("1", program, program), host.read("1", program)]
    for (const call of [...calls, host.delete("1", program), host.diff("1", program, program)]) {
      const error = await thrown(call)
      assert.notProperty(error, "id")
      assert.strictEqual(error.message, "web: the service returned 402: no money")
    }
  })
  it("lets the deliberate partial result out, with the text that can delete it and plain reasons", async () => {
    const host = await serve(
      failing(new PartialCreateError("7", { status: "provisioning", gone: undefined }, ["because"]))
    )
    for (const call of [host.create(program), host.update("7", program, program)]) {
      const { id, properties, reasons } = await thrown(call)
      assert.deepStrictEqual({ id, properties, reasons }, {
        id: "7",
        properties: { status: "provisioning", __provider: "text" },
        reasons: ["because"]
      })
    }
  })
  it("prints no stacks: what read, diff and delete throw has none, and check answers a failure", async () => {
    const host = await serve(failing(new UserError("what happened")))
    for (const call of [host.read("1", program), host.diff("1", program, program), host.delete("1", program)]) {
      const error = await thrown(call)
      assert.strictEqual(`${String(error)}: ${error.stack}`, "what happened: ")
    }
    assert.deepStrictEqual(await host.check({}, program), {
      inputs: program,
      failures: [{ property: "", reason: "what happened" }]
    })
  })
  it("is configured synchronously without throwing; an invalid setting is reported at its first use", async () => {
    const env = await Environment.make()
    const host = new DynamicHost(env.host, () => env.api).serve(instanceLifecycle)
    assert.isUndefined(host.configure(config({ "vps:waitFor": "never" })))
    assertLike(await host.check({}, program), {
      failures: [{ property: "", reason: containing("vps:waitFor (or VPS_WAIT_FOR) is \"never\"") }]
    })
  })
  it("shares one session, and so one connection, between all resources of all types", async () => {
    const env = await Environment.make()
    const opened: Array<Settings> = []
    const host = new DynamicHost(env.host, (settings) => {
      opened.push(settings)
      return env.api
    })
    const [first, second] = [host.serve(instanceLifecycle), host.serve(instanceLifecycle)]
    first.configure(config({ "vps:baseUrl": "http://127.0.0.1/api/v1" }))
    second.configure(config({ "vps:baseUrl": "http://127.0.0.1/api/v1" }))
    await first.check({}, program)
    await second.check({}, { ...program, __urn: `${URN}-2` })
    assert.lengthOf(opened, 1)
    assert.strictEqual(env.count("list"), 1)
  })
  it("a resource without olds is a new one", async () => {
    const env = await Environment.make()
    const host = new DynamicHost(env.host, () => env.api).serve(instanceLifecycle)
    host.configure(config())
    await host.check({}, program)
    assert.strictEqual(env.count("dryRun"), 1)
  })
  it("read answers an empty object for what is gone", async () => {
    const gone: Lifecycle = { ...failing(new Error("unused")), read: () => Promise.resolve(undefined) }
    assert.deepStrictEqual(await (await serve(gone)).read("1", program), {})
  })
})
