/** A service with real hosts, an operator's commands to it, and SSH to its instances. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { hash } from "node:crypto"
import { readFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { parse } from "yaml"
import { assert } from "vitest"
import { ROOT } from "../support/consumer.ts"
import { SERVICE } from "../support/command.ts"
import { execFileSync } from "node:child_process"
import type { CommandName, InputOf } from "#service/contract/operator/Commands"
import { command, request } from "../support/operator.ts"
import { type ServiceProcess, startServiceWith } from "../support/serviceProcess.ts"
import { type Guest, makeGuest } from "./Guest.ts"
import type { Host } from "./Host.ts"
import { COMPILED, type KeyPair, makeKey, writeCatalogue } from "./Script.ts"
import { until as poll } from "../support/until.ts"

const SECRET = "the-secret-of-the-tests-0123456789abcdef"
/** The guest and the times of a trial. */
interface Trial {
  readonly makeGuest: () => Guest
  /** Of the plans. */
  readonly ram: readonly [string, string]
  readonly taskMillis: number
  readonly sshMillis: number
}

/** The times are for booting a guest under emulation, on a computer that has other work. */
const TINY: Trial = { makeGuest, ram: ["192 MB", "256 MB"], taskMillis: 150_000, sshMillis: 60_000 }

/** Each read starts a program on the host: seldom, unless a moment must not be missed. */
export const until = <A>(
  read: () => A | Promise<A>,
  isSo: (value: A) => boolean,
  millis: number,
  pause = 250
): Promise<A> => poll(read, isSo, { millis, pause })

export interface Storage {
  /** Folder of the pool. */
  readonly folder: string
  /** The name that hosts with the same folder share. */
  readonly name?: string
}

export class RealService {
  readonly folder = mkdtempSync(join(tmpdir(), "vps-real-"))
  readonly database = join(this.folder, "vps.db")
  readonly key: KeyPair = makeKey()
  readonly guest: Guest
  apiKey = ""
  process!: ServiceProcess
  readonly #env: Readonly<Record<string, string>>
  readonly #trial: Trial
  /** By instance. */
  readonly #tags = new Map<number, string>()

  constructor(env: Readonly<Record<string, string>> = {}, trial: Trial = TINY) {
    this.#trial = trial
    this.guest = trial.makeGuest()
    this.#env = {
      ...COMPILED,
      VPS_SERVICE_DRIVER: "libvirt",
      VPS_SERVICE_DATABASE: this.database,
      VPS_SERVICE_SECRET: SECRET,
      VPS_SERVICE_LIBVIRT_SHUTDOWN_MILLIS: "20000",
      VPS_SERVICE_LIBVIRT_AGENT_MILLIS: "60000",
      VPS_SERVICE_RETRY_CAP_MILLIS: "1000",
      ...env
    }
  }

  async start(more: Readonly<Record<string, string>> = {}, flags: ReadonlyArray<string> = []): Promise<void> {
    this.process = await startServiceWith({ env: { ...this.#env, ...more } }, ["--rate-limits=false", ...flags])
  }

  /** Starts with a catalogue, and an account with a key. */
  async open(): Promise<void> {
    await this.start()
    writeCatalogue(this.folder, this.#trial.ram)
    const { plans, ...rest } = parse(readFileSync(join(this.folder, "catalogue.yaml"), "utf8"))
    const more = { ...plans[0], id: 3, slug: "p3", name: "P3", specs: { ...plans[0].specs, vcpu: 2 } }
    await this.admin("catalogue.import", { document: { ...rest, plans: [...plans, more] }, dry_run: false })
    await this.admin("accounts.create", { email: "a@example.test", currency: "EUR", vat_treatment: "domestic" })
    await this.admin("wallet.top_up", { account_id: 1, amount: 1_000, reference: "first" })
    const created = await this.admin("keys.create", { account_id: 1, name: "test", scopes: ["vps:create"] })
    this.apiKey = created.api_key
    const network = "203.0.113.0/24"
    await this.admin("addresses.add", { network, gateway: "203.0.113.1", data_center: "Helsinki" })
  }

  /** The name of an instance's machine on its host. */
  tag(id: number): string {
    const known = this.#tags.get(id)
    if (known !== undefined) return known
    const args = [...SERVICE, "admin", "instances", "show", String(id), "-o", "json", "--database", this.database]
    const { machine } = JSON.parse(execFileSync(process.execPath, args, { cwd: ROOT, encoding: "utf8" }))
    this.#tags.set(id, machine)
    return machine
  }

  admin<Name extends CommandName>(name: Name, input: InputOf<Name>) {
    return command(this.database, name, input)
  }

  /** Defines the pool of a host, adds the host, and imports the guest. `socket` is the daemon's, or one before it. */
  async addHost(
    host: Host,
    storage: Storage = { folder: join(host.folder, "images") },
    socket = host.socket
  ): Promise<void> {
    host.exec("mkdir", "-p", storage.folder)
    host.exec("virsh", "pool-define-as", "default", "dir", "--target", storage.folder)
    for (const command of ["pool-start", "pool-autostart"]) host.exec("virsh", command, "default")
    await this.admin("hosts.add", {
      name: host.name,
      data_center: "Helsinki",
      uri: `unix:${socket}`,
      pool: "default",
      bridge: "br0",
      accelerator: "qemu",
      overcommit: 8,
      reserved_mib: 0,
      ...(storage.name === undefined ? {} : { shared_storage: storage.name })
    })
    for (
      const [name, kind, file] of [["debian-12", "disk", this.guest.disk], [
        "rescue",
        "iso",
        this.guest.rescue
      ]] as const
    ) {
      const sha256 = hash("sha256", readFileSync(file))
      await this.admin("images.import", { name, kind, file, sha256, host: host.name })
    }
  }

  call(method: string, path: string, body?: object) {
    return request(this.process, this.apiKey)(method, path, body)
  }

  /** The instance, once its latest task has ended. */
  async settled(id: number, status = "succeeded") {
    const latest = async () => (await this.call("GET", `/instances/${id}/tasks`)).body.items[0]
    const task = await until(latest, ({ status }) => /succeeded|failed/.test(status), this.#trial.taskMillis)
    assert.strictEqual(task.status, status, JSON.stringify(task))
    return (await this.call("GET", `/instances/${id}`)).body
  }

  /** The tasks of an instance, once none is open. */
  async ended(id: number): Promise<ReadonlyArray<{ readonly type: string }>> {
    const tasks = async () => (await this.call("GET", `/instances/${id}/tasks`)).body.items
    const isOpen = ({ status }: { readonly status: string }) => status === "queued" || status === "running"
    return until(tasks, (all) => !all.some(isOpen), this.#trial.taskMillis)
  }

  async buy(body: object = {}) {
    const order = { service_id: 1, hostname: "one", ssh_pubkey: this.key.publicKey, ...body }
    const { body: { id }, status } = await this.call("POST", "/instances", order)
    assert.strictEqual(status, 201)
    return id as number
  }

  /** The answer to a request about an instance, once its task has succeeded. */
  async act(id: number, method: string, path: string, body?: object) {
    const { body: answer, status } = await this.call(method, `/instances/${id}${path}`, body)
    assert.isBelow(status, 300, JSON.stringify(answer))
    await this.settled(id)
    return answer
  }

  /** Restarts the service at a time at which the nightly backup of an instance is due, and waits for that. */
  async backUp(id: number) {
    const backups = async () => (await this.call("GET", `/instances/${id}/backups`)).body
    const before = (await backups()).length
    await this.process.end("SIGKILL")
    const database = new DatabaseSync(this.database)
    database.prepare("UPDATE instances SET next_backup_at = 1 WHERE id = ?").run(id)
    database.close()
    await this.start()
    const isDone = (all: ReadonlyArray<{ status: string }>) =>
      all.length > before && all.every(({ status }) => status === "available" || status === "failed")
    return until(backups, isDone, this.#trial.taskMillis)
  }

  /** A command over SSH, from a host: with the key, or else with a password. */
  ssh(host: Host, address: string, command: string, password?: string) {
    const options = ["StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "ConnectTimeout=20", "LogLevel=ERROR"]
    const login = password === undefined
      ? ["ssh", "-i", this.key.privateKey, "-o", "BatchMode=yes"]
      : ["sshpass", "-p", password, "ssh", "-o", "PubkeyAuthentication=no"]
    return host.tryExec(...login, ...options.flatMap((option) => ["-o", option]), `root@${address}`, command)
  }

  /** Waits until a command over SSH prints a text. */
  async reaches(host: Host, address: string, command: string, text: string, password?: string) {
    const print = () => this.ssh(host, address, command, password).output.trim()
    await until(print, (output) => output === text, this.#trial.sshMillis)
  }

  async close(): Promise<void> {
    await this.process.end("SIGKILL")
    this.key.remove()
    rmSync(this.folder, { recursive: true, force: true })
  }
}
