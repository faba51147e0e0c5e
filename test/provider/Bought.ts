/** A server that was just bought, for tests of what happens to it afterwards. */
import { type Stored, up } from "./Runs.ts"
import { World } from "./World.ts"

export const program = { serviceId: 1, hostname: "web.example.com" }

/** Buys it; the calls that did it are forgotten. */
export const bought = async (more: Record<string, unknown> = {}): Promise<{ world: World; first: Stored }> => {
  const world = new World()
  const first = await up(world.session(), { ...program, ...more })
  world.calls.length = 0
  return { world, first }
}

const MUTATION = /^(start|stop|restart|resize|reinstall|resetPassword|rescue|iso(M|U)|snapshotC|hostname|create)/

/** What was asked of the service that changes something. */
export const mutations = (world: World) => world.calls.filter((call) => MUTATION.test(call))
