import { assert, describe, it } from "@effect/vitest"
import { CONDITIONS, OPERATIONS, verdict } from "#service/domain/InstanceMachine"
import { statusOf } from "#service/domain/InstanceStatus"
import { idle, STATES, TRANSITIONS } from "../support/transitions.ts"

describe("what may be done in which state", () => {
  for (const operation of OPERATIONS) {
    it(`${operation}: ${TRANSITIONS[operation]}`, () => {
      assert.strictEqual(CONDITIONS.map((name) => verdict(operation, STATES[name])).join(" "), TRANSITIONS[operation])
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
