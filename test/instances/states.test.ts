/** Every operation meets its own row of the transition table; every state its own column. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  type Condition,
  CONDITIONS,
  INSTANCE_OPERATIONS,
  type InstanceOperation
} from "#service/domain/InstanceMachine"
import { restoreBackup } from "#service/operations/Restore"
import { mountIso, unmountIso } from "#service/operations/IsoMount"
import { setHostname } from "#service/operations/SetHostname"
import { setRdns } from "#service/operations/SetRdns"
import { resetPassword } from "#service/operations/ResetPassword"
import { operate } from "#service/operations/Power"
import { reinstall } from "#service/operations/Reinstall"
import { enterRescue, exitRescue } from "#service/operations/Rescue"
import { resize } from "#service/operations/Resize"
import { createSnapshot } from "#service/operations/SnapshotCreate"
import { deleteSnapshot } from "#service/operations/SnapshotDelete"
import { restoreSnapshot } from "#service/operations/Restore"
import { Backups } from "#service/persistence/Backups"
import { Instances } from "#service/persistence/Instances"
import { Snapshots } from "#service/persistence/Snapshots"
import { Tasks } from "#service/persistence/Tasks"
import { Transaction } from "#service/persistence/Transaction"
import { IN_STATE, waited } from "../support/instances.ts"
import { allTasks, owner, serviceLayer } from "../support/service.ts"
import { TRANSITIONS } from "../support/transitions.ts"

/** The request of each operation, on instance 1 with snapshot 1, backup 1 and ISO 2 in the drive. */
const REQUESTS = {
  start: () => operate(owner, 1, "start"),
  stop: () => operate(owner, 1, "stop"),
  restart: () => operate(owner, 1, "restart"),
  reinstall: () => reinstall(owner, 1, { os: "debian-13" }),
  resize: () => resize(owner, 1, 2),
  reset_password: () => resetPassword(owner, 1),
  set_hostname: () => setHostname(owner, 1, "new.example.test"),
  set_rdns: () => setRdns(owner, 1, "198.18.0.1", "new.example.test"),
  snapshot_create: () => createSnapshot(owner, 1, "another"),
  snapshot_restore: () => restoreSnapshot(owner, 1, 1),
  backup_restore: () => restoreBackup(owner, 1, 1),
  snapshot_delete: () => deleteSnapshot(owner, 1, 1),
  iso_mount: () => mountIso(owner, 1, 1),
  iso_unmount: () => unmountIso(owner, 1),
  rescue_enter: () => enterRescue(owner, 1),
  rescue_exit: () => exitRescue(owner, 1)
} satisfies Record<InstanceOperation, () => unknown>

type Needs = Effect.Services<ReturnType<typeof REQUESTS[InstanceOperation]>>

/** Sends one of them; their results have different types. */
const request = (operation: InstanceOperation): Effect.Effect<unknown, unknown, Needs> => REQUESTS[operation]()

/** Writes what the operations are about, without the tasks that would make it. */
const furnish = Effect.gen(function*() {
  const snapshots = yield* Snapshots
  const backups = yield* Backups
  const instances = yield* Instances
  yield* (yield* Transaction).run(Effect.gen(function*() {
    yield* snapshots.setAvailable(yield* snapshots.insert({ instanceId: 1, name: "one", os: "debian-12", at: 0 }), 1)
    yield* backups.setAvailable(yield* backups.insert({ instanceId: 1, os: "debian-12", at: 0, expiresAt: 1 }), 1)
    yield* instances.setIso(1, 2)
  }))
})

const outcomeOf = Effect.fnUntraced(function*(operation: InstanceOperation) {
  const before = (yield* allTasks).length
  // Images that exist on our side only are refused upstream, later: here it counts that the task was queued.
  const exit = yield* Effect.exit(waited(request(operation)))
  const opened = (yield* allTasks)[before]
  if (exit._tag === "Failure") {
    assert.include(JSON.stringify(exit.cause), "InvalidState")
    assert.isUndefined(opened)
    return "no"
  }
  if (opened === undefined) return "done"
  assert.strictEqual(opened.type, operation)
  return "yes"
})

describe.each(INSTANCE_OPERATIONS)("%s", (operation) => {
  const expected = TRANSITIONS[operation].split(" ")
  it.effect.each(CONDITIONS.map((name, index) => [name, expected[index]!] as const))(
    "of an instance that is %s: %s",
    ([condition, verdict]: readonly [Condition, string]) =>
      Effect.gen(function*() {
        yield* IN_STATE[condition]
        yield* furnish
        assert.strictEqual(yield* outcomeOf(operation), verdict)
        const open = yield* (yield* Tasks).open(1)
        assert.isUndefined(open, "nothing stays locked")
      }).pipe(Effect.provide(serviceLayer()))
  )

  it.effect("of a busy instance is refused, and names what it is busy with", () =>
    Effect.gen(function*() {
      yield* IN_STATE.running
      yield* furnish
      yield* operate(owner, 1, "restart")
      assert.deepInclude(yield* Effect.flip(request(operation)), { _tag: "InstanceBusy", taskType: "restart" })
    }).pipe(Effect.provide(serviceLayer())))
})
