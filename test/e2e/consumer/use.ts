/** A user's program that uses every entry. It is compiled, not run. */
import * as Effect from "effect/Effect"
import { type Instance, NotFoundError, Vps } from "@pulumi-vps/sdk"
import { Vps as VpsService } from "@pulumi-vps/sdk/effect"
import { Instance as Server, ReverseDns } from "pulumi-vps/provider"
import { startEmulator } from "@pulumi-vps/testing"
import { Emulator } from "@pulumi-vps/testing/effect"

const vps = new Vps({ apiKey: "key", baseUrl: "http://127.0.0.1/api/v1" })

export const find = async (id: number): Promise<Instance | undefined> => {
  try {
    return await vps.instances.get(id)
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}

export const test = async (): Promise<number> => {
  await using emulator = await startEmulator({ seed: { wallet: 20, deploy: { mode: "instant" } } })
  await emulator.faults.add({ operation: "instances.create", status: 503, count: 1 })
  // @ts-expect-error there is no such operation
  await emulator.faults.add({ operation: "instances.destroy", status: 503 })
  await emulator.clock.advance("31 days")
  const plans = await emulator.admin("plans.list", {})
  return plans[0]!.price
}

export const whoami = Effect.gen(function*() {
  const vps = yield* VpsService
  return yield* vps.account.whoami()
}).pipe(Effect.provide(VpsService.layer({ apiKey: "key", baseUrl: "http://127.0.0.1/api/v1" })))

export const advance = Effect.flatMap(Emulator, ({ clock }) => clock.advance({ days: 31 })).pipe(
  Effect.provide(Emulator.layer()),
  Effect.catchTag("EmulatorError", ({ status }) => Effect.succeed(status))
)

const server = new Server("web", { serviceId: 1, hostname: "web.example.com", os: "debian-12" })
export const record = new ReverseDns("web", { instanceId: server.id, ip: server.ipv4, ptr: "web.example.com" })
