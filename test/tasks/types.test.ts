/** The types of tasks, which are the names of the driver's operations. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { AUDIT_TYPES, type TaskType } from "#service/domain/TaskType"
import { OPERATION_TYPES } from "#service/operations/Registry"
import { Driver } from "#service/provisioning/Driver"
import { serviceLayer } from "../support/service.ts"

const TASK_TYPES: ReadonlyArray<TaskType> = [...OPERATION_TYPES, ...AUDIT_TYPES]

const DESIGNED = `provision, start, stop, restart, reinstall, resize, reset_password, set_hostname, set_rdns,
  snapshot_create, snapshot_restore, snapshot_delete, backup_create, backup_restore, iso_mount, iso_unmount,
  rescue_enter, rescue_exit, suspend, unsuspend, renew, expire, terminate`.split(/,\s+/)

describe("the types of tasks", () => {
  it("are those of the design, set_auto_renew, and the corrections", () => {
    assert.sameMembers([...TASK_TYPES], [...DESIGNED, "move", "set_auto_renew", "undo_renew", "undo_expire"])
  })

  it.effect("are the names of the driver's operations", () =>
    Effect.gen(function*() {
      const { capabilities } = yield* Driver
      const types: ReadonlyArray<string> = TASK_TYPES
      const others = [...capabilities].filter((name) => !types.includes(name))
      assert.deepStrictEqual(others, ["backup_delete"], "a step of backup_create")
      // Power for those who pay, and what is for the feed.
      const ours = TASK_TYPES.filter((type) => !([...capabilities] as ReadonlyArray<string>).includes(type))
      assert.sameMembers(ours, [
        "suspend",
        "unsuspend",
        "expire",
        "renew",
        "set_auto_renew",
        "undo_renew",
        "undo_expire"
      ])
    }).pipe(Effect.provide(serviceLayer())))
})
