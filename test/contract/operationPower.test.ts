/** The effect of each operation on the power of an instance, in one table. */
import { assert, describe, it } from "vitest"
import { OPERATION_POWER, operationsWith } from "#contract/OperationPower"
import { INSTANCE_OPERATIONS } from "#service/domain/InstanceMachine"
import { SYSTEM_OPERATIONS } from "#service/domain/TaskType"
import { OPERATION_TYPES } from "#service/operations/Registry"

describe("the table of operations", () => {
  it("has all that customers request and that the service starts, and no others", () => {
    const all = [...INSTANCE_OPERATIONS, ...SYSTEM_OPERATIONS].toSorted()
    assert.deepStrictEqual(Object.keys(OPERATION_POWER).toSorted(), all)
    assert.deepStrictEqual(OPERATION_TYPES.toSorted(), all)
  })
  it("says of each request if the instance is on or off afterwards", () => {
    assert.deepStrictEqual(operationsWith("on"), ["provision", "start", "restart", "reinstall", "unsuspend"])
    assert.deepStrictEqual(operationsWith("off"), ["stop", "suspend", "expire", "terminate"])
    assert.deepStrictEqual(operationsWith("reboot"), ["rescue_enter", "rescue_exit"])
  })
})
