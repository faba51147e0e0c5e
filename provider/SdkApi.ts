/** The API port on the SDK. */
import { Vps } from "#sdk/client/Vps"
import type { Settings } from "./Config.ts"
import type { Api } from "./Ports.ts"
import { Problem } from "./Problem.ts"

const NO_KEY = "no API key is set. Set VPS_API_KEY, or run `pulumi config set --secret vps:apiKey` and give it the key."

/** A client for these settings; it asks for nothing, and needs no key, before it is used. */
export const connect = (settings: Settings): Api => {
  const vps = new Vps({
    ...(settings.apiKey === undefined ? {} : { apiKey: settings.apiKey }),
    ...(settings.baseUrl === undefined ? {} : { baseUrl: settings.baseUrl }),
    ...(settings.requestTimeout === undefined ? {} : { timeout: settings.requestTimeout })
  })
  // The SDK would say how to pass a key to its constructor, which helps nobody who writes a Pulumi program.
  const call = async <A>(work: () => PromiseLike<A>): Promise<A> => {
    if (settings.apiKey === undefined) throw new Problem(NO_KEY)
    return await work()
  }
  return {
    whoami: () => call(() => vps.account.whoami()),
    list: () => call(() => vps.instances.list()),
    get: (id) => call(() => vps.instances.get(id)),
    create: async (body, key) => {
      const { data, response } = await call(() => vps.instances.create(body, { idempotencyKey: key }).withResponse())
      const mismatch = response.headers["idempotent-mismatch"] ?? ""
      return {
        instance: data,
        replayed: response.headers["idempotent-replayed"] === "true",
        mismatch: mismatch.split(",").map((field) => field.trim()).filter((field) => field !== "")
      }
    },
    dryRun: (body, key) => call(() => vps.instances.dryRun(body, key === undefined ? {} : { idempotencyKey: key })),
    hostname: (id, hostname) => call(() => vps.instances.hostname(id, { hostname })),
    rdns: (id, ip, ptr) => call(() => vps.instances.rdns(id, { ip, ptr })),
    start: (id) => call(() => vps.power.start(id)),
    stop: (id) => call(() => vps.power.stop(id))
  }
}
