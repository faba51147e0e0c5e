/** A program that has had two emulators: it prints nothing, keeps its own signal handlers, and ends by itself. */
import assert from "node:assert/strict"
import { startEmulator } from "@pulumi-vps/testing"

const EVENTS = ["SIGINT", "SIGTERM", "exit", "beforeExit", "uncaughtException", "unhandledRejection", "warning"]
const listeners = () => EVENTS.map((event) => process.listenerCount(event))
const before = listeners()

{
  await using first = await startEmulator()
  await using second = await startEmulator({ seed: { deploy: { mode: "after_ms", value: 60_000 } } })
  const vps = first.client()
  const { id } = await vps.instances.create({ service_id: 1 })
  await first.clock.advance("1 minute")
  await vps.instances.resetPassword(id)
  // Work that is not done, and a request that is not answered, when it stops.
  await second.client().instances.create({ service_id: 1 })
  await second.faults.add({ operation: "services.list", latency_ms: 3_600_000 })
  void second.client({ maxRetries: 0 }).services.list().catch(() => undefined)
  assert.deepEqual(listeners(), before)
}
