/** The environment of a scenario: a stack, the service behind a proxy, and the invariants. */
import assert from "node:assert/strict"
import type { Instance } from "#contract/Instance"
import type { Words } from "#provider/HostWords"
import type { ServiceProcess } from "../support/serviceProcess.ts"
import type { Proxy } from "./Proxy.ts"
import type { Result, Running, RunOptions, Stack, StateResource, Verb } from "./Stack.ts"

/** The rootPassword in every program, and in no other place. */
export const PASSWORD = "hunter2-In-The-State"

/** By the type names of both hosts. */
const INSTANCES: ReadonlySet<string> = new Set(["pulumi-nodejs:dynamic/vps:Instance", "vps:index:Instance"])
/** The line that both engines print for a resource that they would replace. */
const REPLACED = /\+-.*vps:Instance/

/** The final state of the stack: nothing to do, destroyed, or a program that is refused. */
export type Ending = "idle" | "destroyed" | "refused"

/** The state of an instance by the controls of a host of `test/anyHost`, whose API does not show it. */
interface Controlled {
  readonly id: number
  readonly hostname?: string
  readonly on: boolean
  readonly snapshots: ReadonlyArray<{ readonly id: number; readonly name: string }>
}

/** By the types of tasks. */
const DEEDS: Readonly<Record<string, string>> = {
  snapshot_create: "snapshot",
  snapshot_restore: "restore",
  iso_mount: "mount",
  set_hostname: "hostname"
}

const isOn = ({ status }: Instance): boolean => status === "running" || status === "rescue"

interface Journal {
  readonly kind: string
  readonly reference: string
}

export class Environment {
  readonly stack: Stack
  readonly service: ServiceProcess
  readonly proxy: Proxy
  /** Must not occur as plain text. */
  readonly secrets: Array<string>
  /** The key of the account that plays. */
  key: string
  ending: Ending = "idle"
  /** Instances that were bought here and are in no stack any more. */
  unmanaged = 0
  /** Purchases whose instance the service has deleted since. */
  deleted = 0
  #printed = ""

  constructor(stack: Stack, service: ServiceProcess, proxy: Proxy) {
    this.stack = stack
    this.service = service
    this.proxy = proxy
    this.key = service.apiKey
    this.secrets = [PASSWORD, service.apiKey]
  }

  /** The program's text: Instances and ReverseDns by name. `ref:web.ipv4` refers to another resource's output. */
  program(instances: Record<string, object>, records: Record<string, object> = {}, more = ""): void {
    const text = (args: object): string => JSON.stringify(args).replaceAll(/"ref:([\w.]+)"/g, "$1")
    this.stack.program([
      "import * as vps from \"pulumi-vps/provider\"",
      ...Object.entries(instances).map(([name, args]) => `const ${name} = new vps.Instance("${name}", ${text(args)})`),
      ...Object.entries(records).map(([name, args]) =>
        `export const ${name}Record = new vps.ReverseDns("${name}", ${text(args)}).ptr`
      ),
      ...Object.keys(instances).map((name) => `export const ${name}Address = ${name}.ipv4`),
      more
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

  /** Calls the service past the proxy, with the key of the scenario's account. */
  async ask<A = unknown>(method: string, path: string, body?: unknown, idempotencyKey?: string): Promise<A> {
    const response = await fetch(`${this.service.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.key}`,
        "content-type": "application/json",
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return await response.json() as A
  }

  get words(): Words {
    return this.stack.words
  }

  /** Another account, or another key, plays from now on. */
  use(key: string): void {
    this.key = key
    this.secrets.push(key)
    this.stack.environment({ VPS_API_KEY: key })
  }

  /** The instances of the account that plays. */
  instances(): Promise<ReadonlyArray<Instance>> {
    return this.ask("GET", "/instances")
  }

  /** False for a host that shows no more than the specification does: no keys, no charges of a resize, no accounts. */
  get showsAll(): boolean {
    return this.service.style === undefined
  }

  async #controlled(): Promise<ReadonlyArray<Controlled>> {
    return (await this.control("GET", "machines"))["machines"] as ReadonlyArray<Controlled>
  }

  /** The instances by id, and if they are on. */
  async powers(): Promise<ReadonlyMap<string, boolean>> {
    const all = this.showsAll
      ? (await this.instances()).map((one) => [String(one.id), isOn(one)] as const)
      : (await this.#controlled()).map(({ id, on }) => [String(id), on] as const)
    return new Map(all)
  }

  /** The host name that the system of the first instance has. */
  async hostname(): Promise<unknown> {
    if (!this.showsAll) return (await this.#controlled())[0]?.hostname
    const [instance] = await this.instances()
    return (JSON.parse(instance?.provider_data ?? "{}") as Readonly<Record<string, unknown>>)["hostname"]
  }

  /** The snapshots of an instance, the first by default. */
  async snapshots(id?: string): Promise<ReadonlyArray<{ readonly id: number; readonly name: string }>> {
    if (!this.showsAll) {
      const all = await this.#controlled()
      return all.find((one) => id === undefined || String(one.id) === id)?.snapshots ?? []
    }
    const instance = id ?? (await this.instances())[0]?.id
    return await this.ask("GET", `/instances/${instance}/snapshots`)
  }

  /** The names of the snapshots of an instance, the first by default. */
  async snapshotNames(id?: string): Promise<ReadonlyArray<string>> {
    return (await this.snapshots(id)).map(({ name }) => name).toSorted()
  }

  /** The types of the tasks of an instance, oldest first. */
  async tasks(
    id: string | number | undefined
  ): Promise<ReadonlyArray<{ readonly type: string; readonly status: string }>> {
    if (this.showsAll) {
      const feed = await this.ask<{ items: ReadonlyArray<{ readonly type: string; readonly status: string }> }>(
        "GET",
        `/instances/${id}/tasks?limit=100`
      )
      return feed.items.toReversed()
    }
    const { deeds } = await this.control("GET", "deeds") as {
      deeds: ReadonlyArray<{ readonly operation: string; readonly instance: number }>
    }
    const types = Object.fromEntries(Object.entries(DEEDS).map(([type, deed]) => [deed, type]))
    return deeds.filter(({ instance }) => instance === Number(id)).map(({ operation }) => ({
      type: types[operation] ?? operation,
      status: "succeeded"
    }))
  }

  /** The number of purchases that were charged and not refunded. */
  async charges(): Promise<number> {
    const { balanced, journals } = await this.control("GET", "ledger") as {
      balanced: boolean
      journals: ReadonlyArray<Journal>
    }
    assert.equal(balanced, true, "the ledger does not sum to zero")
    const refunds = journals.filter(({ kind, reference }) => kind === "refund" && reference.startsWith("refund:order"))
    return journals.filter(({ kind }) => kind === "instance_create").length - refunds.length
  }

  async resources(): Promise<ReadonlyArray<StateResource>> {
    return (await this.stack.exportState()).resources
  }

  async stored(name = "web"): Promise<StateResource> {
    const found = (await this.resources()).find((one) =>
      INSTANCES.has(one.type) && !one.delete && one.urn.endsWith(`::${name}`)
    )
    if (found === undefined) throw new Error(`the state holds no Instance ${name}`)
    return found
  }

  start(verb: Verb, options?: RunOptions): Running {
    return this.stack.start(verb, options)
  }

  /** A preview sends only dry runs, and replaces an Instance only for a new generation. */
  async #run(verb: Verb, options?: RunOptions): Promise<Result> {
    const before = this.proxy.mutations().length
    const result = await this.start(verb, options).done
    this.#printed += result.output
    if (verb === "preview") {
      assert.deepEqual(this.proxy.mutations().slice(before), [], "a preview has changed something")
      const replaced = result.output.split("\n").filter((line) => REPLACED.test(line) && !line.includes("generation"))
      assert.deepEqual(replaced, [], "a preview would replace an Instance")
    }
    return result
  }

  /** A run that must succeed. */
  async run(verb: Verb, options?: RunOptions): Promise<Result> {
    const result = await this.#run(verb, options)
    if (result.code !== 0) throw new Error(`${verb} ended with ${result.code}:\n${result.output}`)
    return result
  }

  /** A run that must fail; returns what was printed, on one line. */
  async fails(verb: Verb, options?: RunOptions): Promise<string> {
    const result = await this.#run(verb, options)
    if (result.code === 0) throw new Error(`${verb} was to fail:\n${result.output}`)
    return result.output.replaceAll(/\s+/g, " ")
  }

  /** An up that must find nothing to do. */
  async idle(): Promise<void> {
    const before = this.proxy.mutations().length
    const result = await this.run("up")
    if (!this.stack.unchanged(result)) throw new Error(`up was to change nothing:\n${result.output}`)
    assert.deepEqual(this.proxy.mutations().slice(before), [], "an up that changes nothing has changed something")
  }

  /** Charges, instances and resources are one and the same number of things. */
  async counts(): Promise<void> {
    const resources = (await this.resources()).filter(({ delete: old, type }) => INSTANCES.has(type) && !old)
    const instances = (await this.instances()).filter(({ status }) => status !== "failed")
    const found = {
      charges: await this.charges(),
      instances: instances.length,
      resources: resources.length + this.unmanaged
    }
    const { length } = instances
    assert.deepEqual(found, { charges: length + this.deleted, instances: length, resources: length })
  }

  /** The invariants after every scenario. */
  async settle(): Promise<void> {
    await this.counts()
    if (this.ending === "idle") await this.idle()
    if (this.ending === "destroyed") assert.deepEqual(await this.resources(), [])
    const everywhere = this.stack.stored() + this.#printed
    for (const secret of this.secrets) {
      assert.ok(!everywhere.includes(secret), `a secret stands in the state or was printed: ${secret.slice(0, 4)}...`)
    }
  }
}

/** A test of the provider in an environment. */
export type Scenario = (env: Environment) => Promise<void>
