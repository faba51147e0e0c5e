/** What a server of the `World` has beside its contract: one task at a time, a feed of them, snapshots, backups. */
import type { Backup } from "#contract/Backups"
import type { ActionResult } from "#contract/Instance"
import type { Iso } from "#contract/Isos"
import type { Task, TaskPage } from "#contract/Monitoring"
import type { Snapshot } from "#contract/Snapshots"

/** An error of the API as the SDK throws it. */
export const apiError = (status: number, detail: string, more: Record<string, unknown> = {}): Error =>
  Object.assign(new Error(`${status}: ${detail}`), { status, detail, ...more })

/** ms that every task takes. */
export const TASK_TIME = 5_000
export const SNAPSHOTS_QUOTA = 3
const SNAPSHOT_SIZE = 1_000_000
/** ISO images of the library, by id. */
const ISOS: Readonly<Record<number, string>> = { 1: "rescue", 2: "debian-netinst" }

/** What an open task makes of the status. */
const WHILE: Readonly<Record<string, string>> = {
  start: "starting",
  stop: "stopping",
  restart: "restarting",
  reinstall: "reinstalling",
  resize: "resizing",
  snapshot_restore: "restoring",
  backup_restore: "restoring"
}

interface Open {
  readonly task: Mutable<Task>
  readonly ends: number
  readonly done: () => void
}
type Mutable<A> = { -readonly [Key in keyof A]: A[Key] }

const timestamp = (at: number): string => new Date(at).toISOString()

export class Machine {
  readonly id: number
  readonly feed: Array<Task> = []
  snapshots: Array<Mutable<Snapshot>> = []
  backups: Array<Mutable<Backup>> = []
  isoId: number | null = null
  power: "on" | "off" = "on"
  bootMode: "disk" | "rescue" = "disk"
  /** Of a reinstall; undefined while it is what was ordered. */
  os: string | undefined
  passwords = 0
  /** Whether a change of the boot mode is followed by its reboot. */
  restarts = true
  /** What stands on the disk, as a word: a restore or a reinstall changes it. */
  disk = "as installed"
  /** How often the disk was put back. */
  restores = 0
  /** Whether the feed shows whose request a task was. */
  showsRequests = true
  /** The next task of this type fails when it ends. */
  failing: string | undefined
  #open: Open | undefined
  #ids = 0

  constructor(id: number) {
    this.id = id
  }

  /** Begins a task; `done` is its effect. 409 with Retry-After while another one is at work. */
  begin(now: number, type: string, done: () => void, request_id: string | null = null): ActionResult {
    if (this.#open !== undefined) {
      throw apiError(409, `The server is busy with another task (${this.#open.task.type}); retry shortly.`, {
        retryAfter: 2
      })
    }
    const task = { ...this.#task(now, type), request_id: this.showsRequests ? request_id : null }
    this.#open = { task, ends: now + TASK_TIME, done }
    this.feed.unshift(task)
    return { ok: true, action: type, status: "running", task_id: task.id }
  }

  /** Once it is deployed and while its contract holds. */
  get status(): string {
    const busy = this.#open === undefined ? undefined : WHILE[this.#open.task.type]
    if (busy !== undefined) return busy
    if (this.power === "off") return "stopped"
    return this.bootMode === "rescue" ? "rescue" : "running"
  }

  /** 409 without Retry-After. */
  refuse(where: "rescue", what: string): void {
    if (this.status === where) throw apiError(409, `${what} is not possible while the server is in ${where}.`)
  }

  /** Something that was done at once. */
  note(now: number, type: string, request_id: string): void {
    const at = timestamp(now)
    this.feed.unshift({ ...this.#task(now, type), status: "succeeded", finished_at: at, request_id })
  }

  /** Carries out what has fallen due. */
  tick(now: number): void {
    const open = this.#open
    if (open === undefined || open.ends > now) return
    this.#open = undefined
    const fails = this.failing === open.task.type
    open.task.status = fails ? "failed" : "succeeded"
    open.task.error = fails ? "The upstream refused it." : null
    open.task.finished_at = timestamp(open.ends)
    if (!fails) return open.done()
    this.failing = undefined
    for (const snapshot of this.snapshots) if (snapshot.status === "creating") snapshot.status = "failed"
  }

  page({ limit = 20, offset = 0 }: { readonly limit?: number; readonly offset?: number } = {}): TaskPage {
    const items = this.feed.slice(offset, offset + limit).map((task) => ({ ...task }))
    return { items, total: this.feed.length, limit, offset }
  }

  get task(): Task | null {
    return this.#open === undefined ? null : { ...this.#open.task }
  }

  isos(): ReadonlyArray<Iso> {
    return Object.entries(ISOS).map(([id, name]) => ({
      id: Number(id),
      name,
      file_name: `${name}.iso`,
      size_bytes: SNAPSHOT_SIZE,
      mounted: this.isoId === Number(id)
    }))
  }

  /** 409 without Retry-After when the quota is reached. */
  takeSnapshot(now: number, name: string): ActionResult & { readonly snapshot: Snapshot } {
    if (this.#open === undefined && this.snapshots.length >= SNAPSHOTS_QUOTA) {
      throw apiError(409, `The snapshot quota of ${SNAPSHOTS_QUOTA} is reached; delete one first.`)
    }
    const snapshot = this.addSnapshot(now, name, "creating")
    try {
      const result = this.begin(now, "snapshot_create", () => {
        Object.assign(snapshot, { status: "available", size_bytes: SNAPSHOT_SIZE })
      })
      return { ...result, snapshot: { ...snapshot } }
    } catch (error) {
      this.snapshots = this.snapshots.filter((one) => one !== snapshot)
      throw error
    }
  }

  /** One that stands there already. */
  addSnapshot(now: number, name: string, status = "available"): Mutable<Snapshot> {
    const snapshot: Mutable<Snapshot> = {
      id: this.#next(),
      instance_id: this.id,
      name,
      status,
      size_bytes: null,
      created_at: timestamp(now)
    }
    this.snapshots.push(snapshot)
    return snapshot
  }

  deleteSnapshot(now: number, id: number): ActionResult {
    const { id: found } = part(this.snapshots, "snapshot", id)
    return this.begin(now, "snapshot_delete", () => {
      this.snapshots = this.snapshots.filter((one) => one.id !== found)
    })
  }

  restoreSnapshot(now: number, id: number, request: string): ActionResult {
    return this.#restore(now, "snapshot_restore", part(this.snapshots, "snapshot", id), request)
  }

  addBackup(now: number): Mutable<Backup> {
    const created_at = timestamp(now)
    const backup: Mutable<Backup> = {
      id: this.#next(),
      instance_id: this.id,
      kind: "scheduled",
      status: "available",
      size_bytes: SNAPSHOT_SIZE,
      created_at,
      expires_at: created_at
    }
    this.backups.push(backup)
    return backup
  }

  restoreBackup(now: number, id: number, request: string): ActionResult {
    return this.#restore(now, "backup_restore", part(this.backups, "backup", id), request)
  }

  #restore(now: number, type: string, from: { readonly id: number; status: string }, request: string): ActionResult {
    if (this.#open === undefined && from.status !== "available") throw apiError(409, `It is ${from.status}.`)
    return this.begin(now, type, () => {
      this.disk = `${type} ${from.id}`
      this.restores++
    }, request)
  }

  #next(): number {
    this.#ids++
    return this.id * 1_000 + this.#ids
  }

  #task(now: number, type: string): Mutable<Task> {
    return {
      id: this.#next(),
      instance_id: this.id,
      kind: "operation",
      type,
      status: "running",
      progress: 0,
      actor: "api_key",
      api_key_id: 1,
      request_id: null,
      error: null,
      created_at: timestamp(now),
      started_at: timestamp(now),
      finished_at: null
    }
  }
}

const part = <A extends { readonly id: number }>(all: ReadonlyArray<A>, what: string, id: number): A => {
  const found = all.find((one) => one.id === id)
  if (found === undefined) throw apiError(404, `no ${what} ${id}`)
  return found
}
