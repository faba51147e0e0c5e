/** `node --test unit.test.ts`: what the program asks for, in milliseconds. Nothing is asked of Pulumi or a host. */
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

// Answers what a host would: an id, and the properties that it adds.
await pulumi.runtime.setMocks({
  newResource: ({ inputs, name, type }) => {
    registered.push({ name, type, inputs })
    const number = Number(name.slice("web-".length))
    return { id: String(number), state: { ...inputs, ipv4: `192.0.2.${number}` } }
  },
  call: ({ inputs }) => inputs
})

/** Waits until every resource is registered. */
const known = <A>(values: pulumi.Input<A>) =>
  new Promise<pulumi.Unwrap<A>>((resolve) => pulumi.output(values).apply(resolve))

test("each server has an address, and a PTR record of its own name", async () => {
  const outputs = await known(program(["web-1", "web-2"]))
  assert.deepEqual(outputs.addresses, ["192.0.2.1", "192.0.2.2"])
  assert.deepEqual(outputs.names, ["web-1.example.com", "web-2.example.com"])
})

test("no server may be bought without a bound, or be lost by a destroy that nobody thought of", async () => {
  await known(program(["web-3"]))
  const servers = registered.filter(({ type }) => type.endsWith(":Instance"))
  assert.notEqual(servers.length, 0)
  for (const { inputs, name } of servers) {
    assert.equal(typeof inputs["maxCharge"], "number", name)
    assert.equal(inputs["deletionPolicy"], "stop", name)
  }
})
