import { assert, it } from "vitest"
import { RESOURCES } from "../../../.config/providerTexts.ts"

it.each(RESOURCES.map((definition) => [definition.name, definition] as const))(
  "%s: every input and output is described in sentences, and every input says which values it takes",
  (_, { inputs, outputs }) => {
    for (const { description } of [...Object.values(inputs), ...Object.values(outputs)]) {
      assert.match(description, /\.$/)
    }
    for (const { type } of Object.values(inputs)) assert.notStrictEqual(type.text, "")
  }
)

it("an Instance is replaced only by another generation, what belongs to it by another instance or identity", () => {
  const replacing = RESOURCES.map(({ inputs, name }) => [
    name,
    Object.entries(inputs).filter(([, { change }]) => change === "replaced").map(([input]) => input)
  ])
  assert.deepStrictEqual(Object.fromEntries(replacing), {
    Instance: ["generation"],
    Snapshot: ["instanceId", "name"],
    ReverseDns: ["instanceId", "ip"],
    SnapshotRestore: ["instanceId"],
    BackupRestore: ["instanceId"]
  })
})
