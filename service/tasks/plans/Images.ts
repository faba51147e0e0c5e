/** Snapshots and backups. Upstream, an image goes by a name that is made from our id. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Backups } from "../../persistence/Backups.ts"
import { Snapshots } from "../../persistence/Snapshots.ts"
import type { Operation } from "../../provisioning/Driver.ts"
import {
  type CompensatingTask,
  DEFAULT_BUDGET,
  PAID_BUDGET,
  type Saga,
  type Step,
  type TaskContext
} from "../../operations/Saga.ts"
import { installed } from "./System.ts"

const SnapshotParams = Schema.fromJsonString(Schema.Struct({
  snapshot_id: Schema.Int,
  /** Only what is at the upstream goes: the customer still sees that the snapshot has failed. */
  keep: Schema.optionalKey(Schema.Boolean)
}))

type SnapshotAction = "snapshot_create" | "snapshot_restore" | "snapshot_delete"

const onSnapshot = ({ task }: TaskContext, type: SnapshotAction) => {
  const params = Schema.decodeEffect(SnapshotParams)(task.params)
  return {
    params: Effect.orDie(params),
    steps: Effect.map(params, ({ snapshot_id: id }) => [{ type, image: `snapshot-${id}` } satisfies Operation])
  }
}

/** Takes an image away that may be there or not. When that is not possible either, it is a leftover. */
const removalOf = ({ keep, ...params }: typeof SnapshotParams.Type): CompensatingTask | null =>
  keep === true
    ? null
    : { type: "snapshot_delete", params: JSON.stringify({ ...params, keep: true }), after: "doubt" }

export const snapshotCreate = (job: TaskContext): Saga => {
  const { params, steps } = onSnapshot(job, "snapshot_create")
  return {
    retry: DEFAULT_BUDGET,
    steps,
    complete: Effect.fnUntraced(function*({ done: [made] }) {
      const { snapshot_id: id } = yield* params
      yield* (yield* Snapshots).setMade(id, made?.imageBytes ?? null)
    }),
    fail: Effect.fnUntraced(function*() {
      const { snapshot_id: id } = yield* params
      yield* (yield* Snapshots).setStatus(id, "failed")
    }),
    compensation: {
      type: "snapshot_delete",
      params: JSON.stringify({ ...JSON.parse(job.task.params), keep: true }),
      after: "failure"
    }
  }
}

export const snapshotRestore = (job: TaskContext): Saga => {
  const { params, steps } = onSnapshot(job, "snapshot_restore")
  const available = Effect.fnUntraced(function*() {
    const { snapshot_id: id } = yield* params
    yield* (yield* Snapshots).setStatus(id, "available")
  })
  return {
    retry: DEFAULT_BUDGET,
    steps,
    complete: Effect.fnUntraced(function*({ machine }) {
      const { snapshot_id: id } = yield* params
      const snapshot = yield* (yield* Snapshots).find(job.instance.id, id)
      yield* available()
      yield* installed(job.instance, snapshot?.os ?? job.instance.os, machine)
    }),
    fail: available,
    compensation: null
  }
}

export const snapshotDelete = (job: TaskContext): Saga => {
  const { params, steps } = onSnapshot(job, "snapshot_delete")
  const known = Schema.decodeOption(SnapshotParams)(job.task.params)
  const isUndo = Option.exists(known, ({ keep }) => keep === true)
  return {
    retry: isUndo ? PAID_BUDGET : DEFAULT_BUDGET,
    steps,
    complete: Effect.fnUntraced(function*() {
      const { keep, snapshot_id: id } = yield* params
      if (keep !== true) yield* (yield* Snapshots).remove(id)
    }),
    // Its image may be gone: what is shown as available could not be restored.
    fail: Effect.fnUntraced(function*(_, doubt) {
      const { snapshot_id: id } = yield* params
      if (doubt) yield* (yield* Snapshots).setStatus(id, "failed")
    }),
    compensation: Option.match(known, { onNone: () => null, onSome: removalOf })
  }
}

const BackupParams = Schema.fromJsonString(Schema.Struct({
  backup_id: Schema.Int,
  /** Those that nobody needs once there is a newer one. */
  spent: Schema.optionalKey(Schema.Array(Schema.Int))
}))

const backupName = (id: number): string => `backup-${id}`

/** Takes the night's backup, then removes what it replaces; what cannot be removed now waits for the next night. */
export const backupCreate = ({ task }: TaskContext): Saga => {
  const params = Schema.decodeEffect(BackupParams)(task.params)
  const known = Effect.orDie(params)
  return {
    retry: DEFAULT_BUDGET,
    steps: Effect.map(params, ({ backup_id: id, spent = [] }): ReadonlyArray<Step> => [
      { operation: { type: "backup_create", image: backupName(id) } },
      ...spent.map((each): Step => ({
        operation: { type: "backup_delete", image: backupName(each) },
        optional: () => true
      }))
    ]),
    complete: Effect.fnUntraced(function*({ done: [made, ...removed] }) {
      const { backup_id: id, spent = [] } = yield* known
      const backups = yield* Backups
      yield* backups.setMade(id, made?.imageBytes ?? null)
      yield* Effect.forEach(spent.filter((_, index) => removed[index] !== undefined), backups.remove)
    }),
    fail: Effect.fnUntraced(function*() {
      const { backup_id: id } = yield* known
      yield* (yield* Backups).setStatus(id, "failed")
    }),
    compensation: null
  }
}

export const backupRestore = ({ instance, task }: TaskContext): Saga => {
  const params = Schema.decodeEffect(BackupParams)(task.params)
  const known = Effect.orDie(params)
  const available = Effect.fnUntraced(function*() {
    const { backup_id: id } = yield* known
    yield* (yield* Backups).setStatus(id, "available")
  })
  return {
    retry: DEFAULT_BUDGET,
    steps: Effect.map(params, ({ backup_id: id }): ReadonlyArray<Operation> => [
      { type: "backup_restore", image: backupName(id) }
    ]),
    complete: Effect.fnUntraced(function*({ machine }) {
      const { backup_id: id } = yield* known
      const backup = yield* (yield* Backups).find(instance.id, id)
      yield* available()
      yield* installed(instance, backup?.os ?? instance.os, machine)
    }),
    fail: available,
    compensation: null
  }
}
