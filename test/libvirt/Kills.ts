/**
 * Kills the service, the daemon or QEMU at a step of an operation, freezes the daemon or stops it for a while, lets
 * everything continue, and compares charges, instances, machines, addresses and volumes.
 */
import { DatabaseSync } from "node:sqlite"
import { join } from "node:path"
import { assert } from "vitest"
import { absence, killQemu } from "./absence.ts"
import { type Host, startHost } from "./Host.ts"
import { RealService, until } from "./RealService.ts"
import { Relay, type Trap } from "./Relay.ts"

/** The call of the step never arrives, is executed before the act, or arrives after it: at a frozen daemon, too. */
const PASSES = {
  "service before": "never",
  "service after": "before",
  "daemon": "after",
  "qemu": "after",
  "daemon frozen": "after",
  "daemon stopped": "never"
} as const

export type Victim = keyof typeof PASSES
export const VICTIMS = Object.keys(PASSES) as ReadonlyArray<Victim>

const IDLE_MILLIS = 180_000
/** A step that depends on timing may not be reached. */
const KILL_MILLIS = 30_000

export const POWER = ["stop", "start", "restart", "rescue_enter", "rescue_exit"] as const
export const DISKS = ["resize", "snapshot_create", "snapshot_restore", "snapshot_delete"] as const
export const SYSTEMS = ["reset_password", "set_hostname", "reinstall", "provision", "terminate"] as const

export type OperationName = typeof POWER[number] | typeof DISKS[number] | typeof SYSTEMS[number]

export class Kills {
  readonly service = new RealService({
    VPS_SERVICE_EXPIRY_GRACE_MILLIS: "0",
    VPS_SERVICE_RETRY_BASE_MILLIS: "200",
    VPS_SERVICE_LIBVIRT_SHUTDOWN_MILLIS: "5000",
    // QEMU is killed more often than that.
    VPS_SERVICE_AUDIT_RESTARTS_MAX: "1000",
    // A frozen daemon is noticed within seconds.
    VPS_SERVICE_LIBVIRT_KEEPALIVE_MILLIS: "1000",
    VPS_SERVICE_HOST_CHECK_MILLIS: "1000",
    VPS_SERVICE_HOST_REPLY_MILLIS: "2000"
  })
  readonly host: Host = startHost("alpha")
  readonly relay = new Relay(join(this.service.folder, "relay"), this.host.socket)
  #instance = 0
  /** Completes once a daemon that is away has been noticed, and responds again. */
  #back: Promise<void> = Promise.resolve()

  async open(): Promise<void> {
    await this.service.open()
    await this.service.addHost(this.host, undefined, this.relay.path)
    this.#instance = await this.service.buy()
    await this.service.settled(this.#instance)
  }

  async close(): Promise<void> {
    await this.service.close()
    this.relay.close()
    this.host.stop()
  }

  #act(victim: Victim): () => void {
    if (victim === "daemon frozen" || victim === "daemon stopped") {
      return () => {
        this.#back = absence(victim, this.host, this.service)
      }
    }
    if (victim === "daemon") return () => this.host.killDaemon()
    if (victim === "qemu") return () => killQemu(this.host)
    return () => process.kill(this.service.process.pid, "SIGKILL")
  }

  /** A request whose answer may be lost with the service. */
  async #request(method: string, path: string, body?: object): Promise<void> {
    await this.service.call(method, `/instances/${this.#instance}${path}`, body).catch(() => undefined)
  }

  async #idle(): Promise<void> {
    const open = async () => {
      const tasks = await this.service.admin("tasks.list", { limit: 100 })
      return tasks.filter(({ status }) => status === "queued" || status === "running")
    }
    await until(open, (tasks) => tasks.length === 0, IDLE_MILLIS)
  }

  async #done(method: string, path: string, body?: object): Promise<void> {
    await this.#request(method, path, body)
    await this.#idle()
  }

  /** The ids of the snapshots. */
  async #snapshots(): Promise<ReadonlyArray<number>> {
    const { body } = await this.service.call("GET", `/instances/${this.#instance}/snapshots`)
    return (body as ReadonlyArray<{ readonly id: number }>).map(({ id }) => id)
  }

  async #power(on: boolean): Promise<void> {
    await this.#done("POST", on ? "/start" : "/stop")
  }

  async #snapshot(): Promise<number> {
    for (const id of await this.#snapshots()) await this.#done("DELETE", `/snapshots/${id}`)
    await this.#done("POST", "/snapshots", { name: "one" })
    return (await this.#snapshots())[0]!
  }

  /** The period ends without a renewal: the service that starts next deletes the instance. */
  async #expire(): Promise<void> {
    await this.service.process.end()
    const connection = new DatabaseSync(this.service.database)
    connection.prepare("UPDATE instances SET auto_renew = 0, expires_at = 1 WHERE id = ?").run(this.#instance)
    connection.close()
  }

  /** Each operation: its preparation, which returns the request. */
  readonly #operations = {
    provision: async () => {
      await this.#expire()
      await this.service.start()
      await until(() => this.service.call("GET", "/instances"), ({ body }) => body.length === 0, IDLE_MILLIS)
      await this.#idle()
      return async () => {
        const { body } = await this.service.call("POST", "/instances", { service_id: 1 }).catch(() => ({ body: {} }))
        this.#instance = body.id ?? this.#instance + 1
      }
    },
    stop: async () => {
      await this.#power(true)
      return () => this.#request("POST", "/stop")
    },
    start: async () => {
      await this.#power(false)
      return () => this.#request("POST", "/start")
    },
    restart: async () => {
      await this.#power(true)
      return () => this.#request("POST", "/restart")
    },
    resize: async () => {
      await this.#power(true)
      const { order } = (await this.service.call("GET", `/instances/${this.#instance}`)).body
      const target = order.service.id === 1 ? 3 : 1
      return () => this.#request("POST", "/resize", { service_id: target })
    },
    snapshot_create: async () => {
      for (const id of await this.#snapshots()) await this.#done("DELETE", `/snapshots/${id}`)
      return () => this.#request("POST", "/snapshots", { name: "one" })
    },
    snapshot_restore: async () => {
      const id = await this.#snapshot()
      return () => this.#request("POST", `/snapshots/${id}/restore`)
    },
    snapshot_delete: async () => {
      const id = await this.#snapshot()
      return () => this.#request("DELETE", `/snapshots/${id}`)
    },
    reinstall: () => Promise.resolve(() => this.#request("POST", "/reinstall", { os: "debian-12" })),
    reset_password: async () => {
      await this.#power(true)
      return () => this.#request("POST", "/reset-password")
    },
    set_hostname: async () => {
      await this.#power(true)
      return () => this.#request("PATCH", "/hostname", { hostname: `h${this.relay.passed.length}` })
    },
    rescue_enter: async () => {
      await this.#done("DELETE", "/rescue")
      return () => this.#request("POST", "/rescue")
    },
    rescue_exit: async () => {
      await this.#done("POST", "/rescue")
      return () => this.#request("DELETE", "/rescue")
    },
    terminate: async () => {
      await this.#expire()
      return () => this.service.start().catch(() => undefined)
    }
  } satisfies Record<OperationName, () => Promise<() => Promise<unknown>>>

  /** Runs an operation, with a kill at a step if there is one; returns the names of its steps. */
  async run(
    name: OperationName,
    step?: number,
    victim: Victim = "service after"
  ): Promise<ReadonlyArray<string>> {
    await this.#ensure()
    const request = await this.#operations[name]()
    this.relay.reset()
    let isKilled = false
    const trap: Trap = {
      step: step ?? 0,
      passes: PASSES[victim],
      act: () => {
        isKilled = true
        this.#act(victim)()
      }
    }
    this.relay.trap = trap
    await request()
    // The service may have been killed after it had answered.
    await until(() => isKilled, (killed) => killed, step === undefined ? 0 : KILL_MILLIS).catch(() => undefined)
    if (step === undefined) await this.#idle()
    this.relay.trap = undefined
    await this.#back
    if (victim.startsWith("service") && isKilled) await this.service.start()
    await this.#idle()
    const steps = [...this.relay.passed]
    await this.compare()
    return steps
  }

  /** An instance exists. */
  async #ensure(): Promise<void> {
    const { body } = await this.service.call("GET", "/instances")
    if (body.length > 0) return void (this.#instance = body[0].id)
    this.#instance = await this.service.buy()
    await this.service.settled(this.#instance)
  }

  /** Charges, instances, machines and addresses in use are the same, and nothing half-made is left. */
  async compare(): Promise<void> {
    await this.service.admin("machines.audit", { repair: true })
    await this.#idle()
    const audit = () => this.service.admin("machines.audit", { repair: false })
    const isBack = (found: Awaited<ReturnType<typeof audit>>) => !found.some(({ kind }) => kind === "unreachable")
    assert.deepStrictEqual(await until(audit, isBack, IDLE_MILLIS), [])
    const instances: ReadonlyArray<{ readonly id: number }> = (await this.service.call("GET", "/instances")).body
    const statement = await this.service.admin("wallet.statement", { account_id: 1, limit: 1_000 })
    const charges = statement.filter(({ kind }) => kind === "instance_create").length
    const deleted = (await this.service.admin("instances.list", { lifecycle: "deleted", limit: 1_000 })).length
    const snapshots = instances.length === 0 ? 0 : (await this.#snapshots()).length
    const machines = this.host.exec("virsh", "list", "--all", "--name").split("\n").filter((name) => name !== "")
    const volumes = this.host.exec("virsh", "vol-list", "default").match(/^ instance-\S+/gm) ?? []
    const [pool] = await this.service.admin("addresses.list", {})
    assert.deepStrictEqual(
      { charges: charges - deleted, machines, assigned: pool!.assigned, volumes: volumes.length },
      {
        charges: instances.length,
        machines: instances.map(({ id }) => this.service.tag(id)),
        assigned: instances.length,
        volumes: instances.length + snapshots
      }
    )
  }
}
