/** The size of a machine is what its plan's specs say, for both drivers. */
import { assert, describe, it } from "vitest"
import { sizeOf, specProblems } from "#service/domain/MachineSize"
import { samples, sizesOf } from "#service/provisioning/drivers/simulated/Metrics"

const specs = (value: object) => JSON.stringify(value)

describe("the size of a machine", () => {
  it.each([
    [{ vcpu: 1, ram: "2 GB", storage: "40 GB NVMe" }, { cpus: 1, memoryMib: 2_048, diskGib: 40 }],
    [{ vcpu: 16, ram: "64 GB", storage: "2 x 1 TB NVMe", more: 1 }, { cpus: 16, memoryMib: 65_536, diskGib: 2_048 }],
    [{ vcpu: 1, ram: "0.5 GB", storage: "512 MB" }, { cpus: 1, memoryMib: 512, diskGib: 1 }],
    [{ vcpu: 1, ram: "192MB", storage: "1 GB" }, { cpus: 1, memoryMib: 192, diskGib: 1 }]
  ])("is read from %j", (value, size) => {
    assert.deepStrictEqual(sizeOf(specs(value)), size)
    assert.deepStrictEqual(specProblems(specs(value), true), [])
  })

  it.each([
    [{ vcpu: 1.5, ram: "lots", storage: "40" }, ["vcpu", "ram", "storage"], []],
    [{ vcpu: 0, ram: "2 gb", storage: "-1 GB" }, ["vcpu", "ram", "storage"], []],
    [{ vcpu: "2", ram: "0 GB", storage: "40 GB" }, ["vcpu", "ram"], []],
    [{ ram: "2 GB", storage: null }, [], ["vcpu", "storage"]],
    [null, [], ["vcpu", "ram", "storage"]]
  ])("is not guessed from %j", (value, unreadable, missing) => {
    const text = value === null ? null : specs(value)
    assert.isUndefined(sizeOf(text))
    const names = (isComplete: boolean, problem: string) =>
      specProblems(text, isComplete).filter((each) => each.includes(problem)).map((each) => /\.(\w+)/.exec(each)![1])
    assert.deepStrictEqual(names(false, ""), unreadable)
    assert.deepStrictEqual(names(true, "cannot be read"), unreadable)
    assert.deepStrictEqual(names(true, "is missing"), missing)
  })
})

describe("the simulated driver", () => {
  it.each([
    ["1.5 GB", "40 GB NVMe", 1.5, 40],
    ["64 GB", "2 x 1 TB NVMe", 64, 2_048],
    ["512 MB", "20 GB SSD", 0.5, 20]
  ])("has a machine of %s and %s as it was sold", (ram, storage, memoryGib, diskGib) => {
    const text = specs({ vcpu: 2, ram, storage })
    assert.deepStrictEqual(sizesOf(text), { memory: memoryGib * 2 ** 30, disk: diskGib * 2 ** 30 })
    const subject = { id: 1, specs: text, createdAt: 0, changes: [] }
    const [sample] = samples(subject, { from: 0, to: 600_000, stepSeconds: 300 })
    assert.strictEqual(sample?.memoryTotalBytes, memoryGib * 2 ** 30)
  })
})
