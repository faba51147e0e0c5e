/** Purchases as the proxy sees them, for scenarios that count or interrupt them. */
import { expect } from "vitest"
import type { Stage } from "./Stage.ts"

export const isPurchase = ({ method, path }: { method: string; path: string }): boolean =>
  method === "POST" && path === "/instances"

/** How many were sent. */
export const purchases = (stage: Stage): number =>
  stage.proxy.mutations().filter((one) => one === "POST /instances").length

/** An `up` that is killed, with all its descendants, right after its POST was sent; the service carries it out. */
export const killedUp = async (stage: Stage): Promise<void> => {
  const held = stage.proxy.hold(isPurchase)
  const running = stage.start("up")
  await held.reached
  await running.kill()
  await held.carryOut()
  expect(await stage.charges()).toBe(1)
  await stage.stack.cancel()
}
