/** Purchases as the proxy sees them, for scenarios that count or interrupt them. */
import { assert } from "vitest"
import type { Environment } from "./Environment.ts"

export const isPurchase = ({ method, path }: { method: string; path: string }): boolean =>
  method === "POST" && path === "/instances"

/** The number of purchases that were sent. */
export const purchases = (env: Environment): number =>
  env.proxy.mutations().filter((one) => one === "POST /instances").length

/** An `up` that is killed, with all its descendants, right after its POST was sent; the service carries it out. */
export const killedUp = async (env: Environment): Promise<void> => {
  const held = env.proxy.hold(isPurchase)
  const running = env.start("up")
  await held.reached
  await running.kill()
  await held.carryOut()
  assert.strictEqual(await env.charges(), 1)
  await env.stack.cancel()
}
