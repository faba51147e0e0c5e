import type { InstanceArgs } from "#provider/classes/Instance"
import type { Instance } from "#provider/dynamic/Instance"
import { type InputName, INSTANCE, type OutputName } from "#provider/instance/Definition"
import type { CustomResource } from "@pulumi/pulumi"
import { describe, expect, it } from "vitest"

/** The names that stand in one of the two only; `never` when they agree. */
type Differing<A, B> = Exclude<A, B> | Exclude<B, A>

describe("the class of an Instance and its definition", () => {
  it("name the same inputs and outputs (held by the compiler)", () => {
    const inputs: Differing<keyof InstanceArgs, InputName> extends never ? "agree" : never = "agree"
    const outputs: Differing<Exclude<keyof Instance, keyof CustomResource>, InputName | OutputName> extends never
      ? "agree"
      : never = "agree"
    expect([inputs, outputs]).toEqual(["agree", "agree"])
  })
  it("each input says what it is and what a change does; only generation replaces", () => {
    const inputs = Object.entries(INSTANCE.inputs)
    for (const [, { description, type }] of inputs) {
      expect(description).toMatch(/\.$/)
      expect(type.text).not.toBe("")
    }
    expect(inputs.filter(([, { change }]) => change === "replaced").map(([name]) => name)).toEqual(["generation"])
  })
})
