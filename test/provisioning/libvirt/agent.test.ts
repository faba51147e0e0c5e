/** Replies of a guest agent, which a customer controls. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execute, freeze, isFrozen, ping } from "#service/provisioning/drivers/libvirt/GuestAgent"
import { withFaults } from "#service/provisioning/drivers/libvirt/Machines"
import { AgentFault } from "#service/provisioning/drivers/libvirt/rpc/Faults"
import type { HostConnection } from "#service/provisioning/drivers/libvirt/HostConnection"
import * as Logger from "effect/Logger"

const DOMAIN = { name: "instance-7", uuid: "u", id: 1 }

/** An agent that replies with texts, the last one for ever. */
const agent = (...replies: ReadonlyArray<string | null>) => {
  const calls: Array<string> = []
  const connection = {
    slow: (_: unknown, [, text]: readonly [unknown, string]) =>
      Effect.sync(() => {
        calls.push((JSON.parse(text) as { readonly execute: string }).execute)
        return replies[Math.min(calls.length, replies.length) - 1]
      })
  } as unknown as HostConnection
  return { guest: { connection, domain: DOMAIN }, calls }
}

const BAD = [
  null,
  "",
  "text",
  "null",
  "[]",
  "{}",
  `{"return":null}`,
  `{"return":{}}`,
  `{"return":{"pid":"1"}}`,
  `{"return":{"pid":1.5}}`,
  `{"error":{"desc":"/var/lib/libvirt"}}`
]

describe("a guest agent", () => {
  it.effect.each(BAD)("that replies with %s is rejected with a sentence, and its reply is logged", (reply) => {
    const logged: Array<string> = []
    const logger = Logger.make(({ message }) => void logged.push(String(message)))
    return Effect.gen(function*() {
      const { guest } = agent(reply)
      const fault = yield* Effect.flip(withFaults("x", execute(guest, "/bin/true", [])))
      assert.strictEqual(fault._tag, "Rejected")
      assert.match(fault.reason, /^its guest agent gave a reply that makes no sense; restart qemu-guest-agent/)
      assert.match(logged[0]!, /^x: The guest agent of instance-7 replied to guest-exec with /)
    }).pipe(Effect.provide(Logger.layer([logger])))
  })

  it.effect("that reports a wrong end of a command is rejected", () =>
    Effect.gen(function*() {
      for (const status of ["null", "{}", `{"exited":1}`, `{"exited":true,"exitcode":"0"}`]) {
        const { guest } = agent(`{"return":{"pid":1}}`, `{"return":${status}}`)
        assert.instanceOf(yield* Effect.flip(execute(guest, "/bin/true", [])), AgentFault)
      }
      const { guest } = agent(`{"return":"sometimes"}`)
      assert.instanceOf(yield* Effect.flip(isFrozen(guest)), AgentFault)
      assert.instanceOf(yield* Effect.flip(freeze(guest, 1)), AgentFault)
      yield* ping(guest)
    }))

  it.live("whose command never ends is polled less and less often", () =>
    Effect.gen(function*() {
      const { calls, guest } = agent(`{"return":{"pid":1}}`, `{"return":{"exited":false}}`)
      yield* Effect.timeoutOption(execute(guest, "/bin/sleep", ["1000"]), 1_000)
      assert.isBelow(calls.length, 10)
      assert.isAbove(calls.length, 4)
    }))

  it.live("whose command ends returns its exit code", () =>
    Effect.gen(function*() {
      const { guest } = agent(
        `{"return":{"pid":1}}`,
        `{"return":{"exited":false}}`,
        `{"return":{"exited":true,"exitcode":3}}`
      )
      assert.strictEqual(yield* execute(guest, "/bin/false", []), 3)
    }))
})
