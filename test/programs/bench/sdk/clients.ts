/** The clients that are compared. Each one gets a record by its ID. */
import { createRequire } from "node:module"
import { Pool } from "undici"

export type Get = (id: number) => Promise<unknown>

/** Makes a client. `origin` is the server's, `vendors` a folder with the installed SDKs of other vendors. */
type Make = (origin: string, vendors: string, connections: number) => Promise<Get>

const PATH = "/api/v1/instances/"
const TOKEN = "vps_live_bench"

interface LinodeConfig {
  url: string
}
interface Linode {
  readonly setToken: (token: string) => void
  readonly baseRequest: {
    readonly interceptors: {
      readonly request: { readonly use: (change: (config: LinodeConfig) => LinodeConfig) => void }
    }
  }
  readonly getLinode: Get
}
interface Hcloud {
  readonly Client: new(options: object) => { readonly servers: { readonly get: Get } }
}
interface Vultr {
  readonly initialize: (options: object) => {
    readonly instances: { readonly getInstance: (options: object) => Promise<unknown> }
  }
}

/** The floor: the cost of undici itself. */
const bare: Make = async (origin, _, connections) => {
  const pool = new Pool(origin, { connections })
  const headers = { authorization: `Bearer ${TOKEN}`, accept: "application/json" }
  return async (id) => {
    const { body } = await pool.request({ path: PATH + id, method: "GET", headers })
    return JSON.parse(await body.text())
  }
}

/** The published, compiled entry. */
const ours: Make = async (origin) => {
  const { Vps } = await import("@pulumi-vps/sdk")
  const vps = new Vps({ apiKey: TOKEN, baseUrl: `${origin}/api/v1` })
  return (id) => vps.instances.get(id)
}

const oursStrict: Make = async (origin) => {
  const { Vps } = await import("@pulumi-vps/sdk")
  const vps = new Vps({ apiKey: TOKEN, baseUrl: `${origin}/api/v1`, decode: "strict" })
  return (id) => vps.instances.get(id)
}

const linode: Make = async (origin, vendors) => {
  const sdk = createRequire(vendors)("@linode/api-v4") as Linode
  sdk.setToken(TOKEN)
  // There is no other way to set its base URL.
  sdk.baseRequest.interceptors.request.use((config) => {
    config.url = config.url.replace(/^https:\/\/[^/]+/, `${origin}/linode`)
    return config
  })
  return sdk.getLinode
}

const hcloud: Make = async (origin, vendors) => {
  const { Client } = createRequire(vendors)("hcloud-js") as Hcloud
  const client = new Client({ token: TOKEN, baseURL: `${origin}/hcloud/` })
  return (id) => client.servers.get(id)
}

const vultr: Make = async (origin, vendors) => {
  const sdk = createRequire(vendors)("@vultr/vultr-node") as Vultr
  const client = sdk.initialize({ apiKey: TOKEN, baseUrl: `${origin}/vultr` })
  return (id) => client.instances.getInstance({ "instance-id": String(id) })
}

export const FLOOR = "undici Pool.request"
export const OURS = "pulumi-vps"

/** Exact versions, so that runs are comparable. */
export const VENDORS = ["@linode/api-v4@0.158.0", "hcloud-js@1.4.1", "@vultr/vultr-node@2.8.0"]

export const CLIENTS: Readonly<Record<string, { readonly make: Make; readonly isVendor: boolean }>> = {
  [FLOOR]: { make: bare, isVendor: false },
  [OURS]: { make: ours, isVendor: false },
  "pulumi-vps, strict": { make: oursStrict, isVendor: false },
  "@linode/api-v4": { make: linode, isVendor: true },
  "hcloud-js": { make: hcloud, isVendor: true },
  "@vultr/vultr-node": { make: vultr, isVendor: true }
}
