/** `node --test unit.test.ts`: tests the inputs of the resources in milliseconds, without Pulumi or a service. */
import * as pulumi from "@pulumi/pulumi"
import assert from "node:assert/strict"
import { test } from "node:test"
import { program } from "./program.ts"

interface Registered {
  readonly name: string
  readonly type: string
  readonly inputs: Readonly<Record<string, unknown>>
}

const registered: Array<Registered> = []

// Returns what the service would: an ID, and the computed properties.
await pulumi.runtime.setMocks({
  newResource: ({ inputs, name, type }) => {
    registered.push({ name, type, inputs })
    const number = Number(name.slice("web-".length))
    return { id: String(number), state: { ...inputs, ipv4: `192.0.2.${number}` } }
  },
  call: ({ inputs }) => inputs
})

/** Waits until all resources are registered. */
const resolved = <A>(values: pulumi.Input<A>) =>
  new Promise<pulumi.Unwrap<A>>((resolve) => pulumi.output(values).apply(resolve))

test("each instance has an address and a PTR record with its name", async () => {
  const outputs = await resolved(program(["web-1", "web-2"]))
  assert.deepEqual(outputs.addresses, ["192.0.2.1", "192.0.2.2"])
  assert.deepEqual(outputs.names, ["web-1.example.com", "web-2.example.com"])
})

test("each instance has a maximum charge and an explicit deletion policy", async () => {
  await resolved(program(["web-3"]))
  const instances = registered.filter(({ type }) => type.endsWith(":Instance"))
  assert.notEqual(instances.length, 0)
  for (const { inputs, name } of instances) {
    assert.equal(typeof inputs["maxCharge"], "number", name)
    assert.equal(inputs["deletionPolicy"], "stop", name)
  }
})
