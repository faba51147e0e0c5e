import { assert, describe, it } from "@effect/vitest"
import { type Condition, CONDITIONS, type Operation, OPERATIONS, verdict } from "#service/domain/InstanceMachine"
import { type InstanceState, statusOf } from "#service/domain/InstanceStatus"

const idle = { lifecycle: "active", power: "on", bootMode: "disk", task: undefined } as const

const STATES: Readonly<Record<Condition, InstanceState>> = {
  pending: { ...idle, lifecycle: "pending", power: "off" },
  running: idle,
  stopped: { ...idle, power: "off" },
  rescue: { ...idle, bootMode: "rescue" },
  suspended: { ...idle, lifecycle: "suspended" },
  expired: { ...idle, lifecycle: "expired" },
  failed: { ...idle, lifecycle: "failed" }
}

// pending running stopped rescue suspended expired failed, as in the table of the design.
const TABLE: Readonly<Record<Operation, string>> = {
  start: "no done yes yes no no no",
  stop: "no yes done yes no no no",
  restart: "no yes yes yes no no no",
  reinstall: "no yes yes yes no no no",
  resize: "no yes yes no no no no",
  reset_password: "no yes yes no no no no",
  set_hostname: "no yes yes yes no no no",
  set_rdns: "no yes yes yes no no no",
  snapshot_create: "no yes yes no no no no",
  snapshot_restore: "no yes yes no no no no",
  backup_restore: "no yes yes no no no no",
  snapshot_delete: "no yes yes yes yes yes no",
  iso_mount: "no yes yes yes no no no",
  iso_unmount: "no yes yes yes no no no",
  rescue_enter: "no yes yes done no no no",
  rescue_exit: "no done done yes no no no"
}

describe("what may be done in which state", () => {
  for (const operation of OPERATIONS) {
    it(`${operation}: ${TABLE[operation]}`, () => {
      assert.strictEqual(CONDITIONS.map((name) => verdict(operation, STATES[name])).join(" "), TABLE[operation])
    })
  }

  it("leaving rescue is done, not a no-op, for a stopped instance that would boot into rescue", () => {
    assert.strictEqual(verdict("rescue_exit", { ...idle, power: "off", bootMode: "rescue" }), "yes")
  })

  it("nothing may be done with a deleted instance", () => {
    for (const operation of OPERATIONS) assert.strictEqual(verdict(operation, { ...idle, lifecycle: "deleted" }), "no")
  })
})

describe("the public status", () => {
  it.each(
    [
      [STATES.pending, false, "pending"],
      [{ ...STATES.pending, task: "provision" }, false, "pending"],
      [{ ...STATES.pending, task: "provision" }, true, "provisioning"],
      [STATES.running, false, "running"],
      [STATES.stopped, false, "stopped"],
      [STATES.rescue, false, "rescue"],
      [{ ...STATES.rescue, power: "off" }, false, "stopped"],
      [{ ...STATES.running, task: "stop" }, false, "stopping"],
      [{ ...STATES.running, task: "restart" }, true, "restarting"],
      [{ ...STATES.stopped, task: "start" }, true, "starting"],
      [{ ...STATES.running, task: "set_hostname" }, true, "running"],
      [{ ...STATES.expired, task: "terminate" }, true, "expired"],
      [STATES.failed, false, "failed"]
    ] as const
  )("%o (running: %s) is %s", (state, running, status) => {
    assert.strictEqual(statusOf(state, running), status)
  })
})
