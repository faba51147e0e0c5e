/** The API port on the SDK. */
import { Vps } from "#sdk/client/Vps"
import type { Settings } from "./Config.ts"
import type { Api } from "./Ports.ts"
import { Problem } from "./Problem.ts"

/** A client for these settings; it asks for nothing before it is used. */
export const connect = (settings: Settings): Api => {
  const vps = new Vps({
    apiKey: () => {
      if (settings.apiKey !== undefined) return settings.apiKey
      throw new Problem("no API key is set. Set VPS_API_KEY, or run `pulumi config set --secret vps:apiKey <key>`.")
    },
    ...(settings.baseUrl === undefined ? {} : { baseUrl: settings.baseUrl }),
    ...(settings.requestTimeout === undefined ? {} : { timeout: settings.requestTimeout })
  })
  return {
    whoami: () => vps.account.whoami(),
    list: () => vps.instances.list(),
    get: (id) => vps.instances.get(id),
    create: async (body, key) => {
      const { data, response } = await vps.instances.create(body, { idempotencyKey: key }).withResponse()
      const mismatch = response.headers["idempotent-mismatch"] ?? ""
      return {
        instance: data,
        replayed: response.headers["idempotent-replayed"] === "true",
        mismatch: mismatch.split(",").map((field) => field.trim()).filter((field) => field !== "")
      }
    },
    dryRun: (body, key) => vps.instances.dryRun(body, key === undefined ? {} : { idempotencyKey: key }),
    hostname: (id, hostname) => vps.instances.hostname(id, { hostname }),
    rdns: (id, ip, ptr) => vps.instances.rdns(id, { ip, ptr }),
    start: (id) => vps.power.start(id),
    stop: (id) => vps.power.stop(id)
  }
}
