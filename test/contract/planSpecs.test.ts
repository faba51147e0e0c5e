/** Every spec of a plan has its words, its column and a form that is read. */
import { assert, describe, it } from "vitest"
import { PLAN_SPEC_ENTRIES, PLAN_SPECS, wordsOf } from "#contract/PlanSpecs"
import { plansIn } from "#sdk/cli/shared/Views"

describe("the specs of a plan", () => {
  it.each(PLAN_SPEC_ENTRIES)("%s: its example can be read, and an empty text cannot", (_, { example, read }) => {
    assert.isAbove(read(example) ?? 0, 0)
    assert.isUndefined(read(""))
  })
  it("that are absent have no words", () => {
    const specs = { vcpu: 2, ram: "4 GB", storage: null, more: "x" }
    assert.deepStrictEqual(wordsOf(specs), [["2", "vCPU"], ["4 GB", "memory"]])
    assert.deepStrictEqual(wordsOf(null), [])
  })
  it("are a column each, which sorts by the quantity and not by the text", () => {
    const columns = plansIn("EUR").columns
    for (const [name, { column, read }] of PLAN_SPEC_ENTRIES) {
      const found = columns.find(({ title }) => title === column.title)
      const plan = {
        id: 1,
        name: "",
        slug: "",
        price: 1,
        billing_cycle: "",
        category: "",
        specs: { [name]: PLAN_SPECS[name].example }
      }
      assert.strictEqual(found?.by?.(plan), read(PLAN_SPECS[name].example))
    }
    const { by } = columns.find(({ title }) => title === "RAM")!
    const ram = (text: string) =>
      by!({ id: 1, name: "", slug: "", price: 1, billing_cycle: "", category: "", specs: { ram: text } })
    assert.isAbove(ram("16 GB") as number, ram("2 GB") as number)
    assert.isAbove(ram("1 TB") as number, ram("512 GB") as number)
  })
})
