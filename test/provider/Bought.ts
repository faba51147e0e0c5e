/** A server that was just bought, for tests of what happens to it afterwards. */
import { type Stored, up } from "./Runs.ts"
import { Environment } from "./Environment.ts"

export const program = { serviceId: 1, hostname: "web.example.com" }

/** Buys it; the calls that did it are forgotten. */
export const bought = async (more: Record<string, unknown> = {}): Promise<{ env: Environment; first: Stored }> => {
  const env = await Environment.make()
  const first = await up(env.session(), { ...program, ...more })
  env.calls.length = 0
  return { env, first }
}

const MUTATION = /^(start|stop|restart|resize|reinstall|resetPassword|rescue|iso(M|U)|snapshotC|hostname|create)/

const isMutation = (call: string): boolean => MUTATION.test(call)

/** The calls that change something. */
export const mutations = (env: Environment) => env.calls.filter(isMutation)
