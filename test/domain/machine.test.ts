import { assert, describe, it } from "@effect/vitest"
import { CONDITIONS, INSTANCE_OPERATIONS, isInstanceOperation, verdict } from "#service/domain/InstanceMachine"
import { statusOf } from "#service/domain/InstanceStatus"
import { idle, STATES, TRANSITIONS } from "../support/transitions.ts"

describe("what may be done in which state", () => {
  for (const operation of INSTANCE_OPERATIONS) {
    it(`${operation}: ${TRANSITIONS[operation]}`, () => {
      assert.strictEqual(CONDITIONS.map((name) => verdict(operation, STATES[name])).join(" "), TRANSITIONS[operation])
    })
  }

  it("leaving rescue is done, not a no-op, for a stopped instance that would boot into rescue", () => {
    assert.strictEqual(verdict("rescue_exit", { ...idle, power: "off", bootMode: "rescue" }), "yes")
  })

  it.each(
    [
      ["rescue_enter", { bootMode: "rescue", booted: "disk" }],
      ["rescue_exit", { bootMode: "disk", booted: "rescue" }]
    ] as const
  )("%s makes the reboot that is owed: set and booted are two facts", (operation, modes) => {
    assert.strictEqual(verdict(operation, { ...idle, ...modes }), "yes")
    const { bootMode } = modes
    assert.strictEqual(verdict(operation, { ...idle, bootMode, booted: bootMode }), "done")
  })

  it("a stopped instance next boots the mode that is set, not the one that it booted last", () => {
    const stopped = { ...idle, power: "off" } as const
    assert.strictEqual(verdict("rescue_exit", { ...stopped, bootMode: "disk", booted: "rescue" }), "done")
    assert.strictEqual(verdict("rescue_enter", { ...stopped, bootMode: "rescue", booted: "rescue" }), "yes")
  })

  it("each operation of the design has a row, and nothing else is one", () => {
    assert.deepStrictEqual(INSTANCE_OPERATIONS.toSorted(), Object.keys(TRANSITIONS).toSorted())
    assert.isTrue(isInstanceOperation("start"))
    for (const type of ["provision", "terminate", "toString"]) assert.isFalse(isInstanceOperation(type))
  })

  it("nothing may be done with a deleted instance", () => {
    for (const operation of INSTANCE_OPERATIONS) {
      assert.strictEqual(verdict(operation, { ...idle, lifecycle: "deleted" }), "no")
    }
  })
})

describe("the public status", () => {
  it.each(
    [
      [STATES.pending, false, "pending"],
      [{ ...STATES.pending, task: "provision" }, false, "pending"],
      [{ ...STATES.pending, task: "provision" }, true, "provisioning"],
      [{ ...STATES.pending, task: "terminate" }, true, "pending"],
      [STATES.running, false, "running"],
      [STATES.stopped, false, "stopped"],
      [STATES.rescue, false, "rescue"],
      [{ ...STATES.rescue, power: "off" }, false, "stopped"],
      [{ ...STATES.running, bootMode: "rescue" }, false, "running"],
      [{ ...STATES.rescue, bootMode: "disk" }, false, "rescue"],
      [{ ...STATES.running, task: "set_hostname" }, true, "running"],
      [{ ...STATES.expired, task: "terminate" }, true, "expired"],
      [STATES.failed, false, "failed"]
    ] as const
  )("%o (running: %s) is %s", (state, running, status) => {
    assert.strictEqual(statusOf(state, running), status)
  })

  it.each([
    ["start", "starting"],
    ["stop", "stopping"],
    ["restart", "restarting"],
    ["reinstall", "reinstalling"],
    ["resize", "resizing"],
    ["snapshot_restore", "restoring"],
    ["backup_restore", "restoring"],
    ["rescue_enter", "restarting"],
    ["rescue_exit", "restarting"]
  ])("while %s is open is %s, whether or not a worker has it, and only of an active instance", (task, status) => {
    for (const state of [STATES.running, STATES.stopped, STATES.rescue]) {
      for (const running of [false, true]) assert.strictEqual(statusOf({ ...state, task }, running), status)
    }
    for (const name of ["suspended", "expired", "failed"] as const) {
      assert.strictEqual(statusOf({ ...STATES[name], task }, true), name)
    }
  })
})
