/** What a scenario plays on: a stack, the service behind a proxy, and what must hold whatever was played. */
import assert from "node:assert/strict"
import type { Instance } from "#contract/Instance"
import { type ServiceProcess, startService } from "../serviceProcess.ts"
import { Proxy } from "./Proxy.ts"
import type { Result, Stack, StateResource, Verb } from "./Stack.ts"

/** Stands in every program as rootPassword, and nowhere else. */
export const PASSWORD = "hunter2-In-The-State"

const INSTANCE = "pulumi-nodejs:dynamic/vps:Instance"

export class Stage {
  readonly stack: Stack
  readonly service: ServiceProcess
  readonly proxy: Proxy

  constructor(stack: Stack, service: ServiceProcess, proxy: Proxy) {
    this.stack = stack
    this.service = service
    this.proxy = proxy
  }

  /** A new service and a new stack; both are gone after `play`. */
  static async play(
    make: (environment: Readonly<Record<string, string>>) => Promise<Stack>,
    scenario: (stage: Stage) => Promise<void>
  ): Promise<void> {
    const cleanups: Array<() => Promise<unknown>> = []
    try {
      const service = await startService("--emulator")
      cleanups.push(() => service.end())
      const proxy = await Proxy.start(service.origin)
      cleanups.push(() => proxy.close())
      const stack = await make({ VPS_API_KEY: service.apiKey, VPS_BASE_URL: proxy.baseUrl })
      cleanups.push(() => stack.dispose())
      const stage = new Stage(stack, service, proxy)
      await stage.control("PUT", "deploy", { mode: "after_ms", value: 100 })
      await scenario(stage)
      assert.ok(!stack.stored().includes(PASSWORD), "a password stands in the state as plain text")
      assert.ok(!stack.stored().includes(service.apiKey), "the API key stands in the state as plain text")
    } finally {
      for (const cleanup of cleanups.toReversed()) await cleanup()
    }
  }

  /** The program's text: Instances and ReverseDns by name. `ref:web.ipv4` refers to another resource's output. */
  program(instances: Record<string, object>, records: Record<string, object> = {}): void {
    const text = (args: object): string => JSON.stringify(args).replaceAll(/"ref:([\w.]+)"/g, "$1")
    this.stack.program([
      "import { Instance, ReverseDns } from \"pulumi-vps/provider\"",
      ...Object.entries(instances).map(([name, args]) => `const ${name} = new Instance("${name}", ${text(args)})`),
      ...Object.entries(records).map(([name, args]) =>
        `export const ${name}Record = new ReverseDns("${name}", ${text(args)}).ptr`
      ),
      ...Object.keys(instances).map((name) => `export const ${name}Address = ${name}.ipv4`)
    ].join("\n"))
  }

  async control(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const response = await fetch(`${this.service.origin}/_emulator/${path}`, {
      method,
      ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) })
    })
    if (!response.ok) throw new Error(`${method} /_emulator/${path}: ${response.status} ${await response.text()}`)
    return await response.json() as Record<string, unknown>
  }

  /** The account's instances, asked past the proxy. */
  async instances(): Promise<ReadonlyArray<Instance>> {
    const response = await fetch(`${this.service.url}/instances`, {
      headers: { authorization: `Bearer ${this.service.apiKey}` }
    })
    return await response.json() as ReadonlyArray<Instance>
  }

  async charges(): Promise<number> {
    const { balanced, journals } = await this.control("GET", "ledger") as {
      balanced: boolean
      journals: ReadonlyArray<{ kind: string }>
    }
    assert.equal(balanced, true, "the ledger does not sum to zero")
    return journals.filter(({ kind }) => kind === "instance_create").length
  }

  async stored(name = "web"): Promise<StateResource> {
    const found = (await this.stack.resources()).find(({ type, urn }) => type === INSTANCE && urn.endsWith(`::${name}`))
    if (found === undefined) throw new Error(`the state holds no Instance ${name}`)
    return found
  }

  /** A run that must succeed. */
  async run(verb: Verb): Promise<Result> {
    const result = await this.stack.run(verb)
    if (result.code !== 0) throw new Error(`${verb} ended with ${result.code}:\n${result.output}`)
    return result
  }

  /** A run that must fail; answers what was printed, on one line. */
  async fails(verb: Verb): Promise<string> {
    const result = await this.stack.run(verb)
    if (result.code === 0) throw new Error(`${verb} was to fail:\n${result.output}`)
    return result.output.replaceAll(/\s+/g, " ")
  }

  /** An up that must find nothing to do. */
  async idle(): Promise<void> {
    const result = await this.run("up")
    if (!this.stack.unchanged(result)) throw new Error(`up was to change nothing:\n${result.output}`)
  }

  /** Charges, instances and resources are one and the same number of things; and nothing is left to do. */
  async settled(count: number): Promise<void> {
    const resources = (await this.stack.resources()).filter(({ type }) => type === INSTANCE)
    const counts = {
      charges: await this.charges(),
      instances: (await this.instances()).length,
      resources: resources.length
    }
    assert.deepEqual(counts, { charges: count, instances: count, resources: count })
    const before = this.proxy.mutations()
    await this.run("preview")
    await this.idle()
    assert.deepEqual(this.proxy.mutations(), before)
  }
}
