import { expect, it } from "vitest"
import { RESOURCES } from "../../../.config/providerTexts.ts"

it.each(RESOURCES.map((definition) => [definition.name, definition] as const))(
  "%s: every input and output is described in sentences, and every input says which values it takes",
  (_, { inputs, outputs }) => {
    for (const { description } of [...Object.values(inputs), ...Object.values(outputs)]) {
      expect(description).toMatch(/\.$/)
    }
    for (const { type } of Object.values(inputs)) expect(type.text).not.toBe("")
  }
)

it("an Instance is replaced only by another generation, what belongs to it by another instance or identity", () => {
  const replacing = RESOURCES.map(({ inputs, name }) => [
    name,
    Object.entries(inputs).filter(([, { change }]) => change === "replaced").map(([input]) => input)
  ])
  expect(Object.fromEntries(replacing)).toEqual({
    Instance: ["generation"],
    Snapshot: ["instanceId", "name"],
    ReverseDns: ["instanceId", "ip"],
    SnapshotRestore: ["instanceId"],
    BackupRestore: ["instanceId"]
  })
})
