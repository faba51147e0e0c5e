/** The stacks that are compared: 300 resources each, in a project as a user has it, on the real `pulumi`. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { NOOP_PLUGIN, STORED_BY_NOOP } from "./noopPlugin.ts"

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url))

export const RESOURCES = 300

export interface Contender {
  readonly name: string
  /** The text of the program. */
  readonly program: string
  /** The name of the contender that it is compared with. */
  readonly beside?: string
  /** The additional outputs of no-op resources. */
  readonly stored?: object
}

/** The inputs of ours; the others have the same, and return them. */
const ARGS = "{ serviceId: 1, hostname: `web-${index}.example.com`, os: \"debian-12\", maxCharge: 5 }"
const LOOP = `for (let index = 0; index < ${RESOURCES}; index++)`
const METHODS = ["configure", "check", "diff", "create", "read", "update", "delete"]

/** As long as ours, to the byte; a stored text is paid for in every write of the state. */
const NOOP_PACKAGE = "noop-stub"
const NOOP_MODULE = `${NOOP_PACKAGE}/provider/runtime`
const NOOP_TEXT = "exports.handler=()=>{const c=n=>async(...a)=>(await import("
  + `${JSON.stringify(NOOP_MODULE)})).instance[n](...a);return Object.fromEntries(`
  + `${JSON.stringify(METHODS)}.map(n=>[n,c(n)]))};`

/**
 * The outputs of an instance of ours besides its inputs: the engine writes it out in every step. The key is shorter
 * than ours, for Pulumi notes more of the stack with a no-op: all in all these states are as long as ours.
 */
const KEY = "pulumi-"
const URN = "urn:pulumi:test::project::vps:index:Instance::web-100"
const OUTPUTS = {
  __service: "http://127.0.0.1:40000/api/v1#0123456789ab",
  afterDestroy: "refused",
  autoRenew: true,
  billingCycle: "monthly",
  chargeAmount: 4.99,
  createdAt: "2026-01-01T00:00:00.000Z",
  currency: "EUR",
  expiresAt: "2026-02-01T00:00:00.000Z",
  ipv4: "198.18.0.100",
  ipv6: "2001:db8:0:64::1",
  orderId: 100,
  providerId: "sim-100",
  purchaseKey: KEY,
  renewalPrice: 4.99,
  status: "running",
  userId: 1
}
const STORED = {
  dynamic: { inputs: { __purchaseKey: KEY, __urn: URN }, outputs: { ...OUTPUTS, __urn: URN } },
  plugin: { inputs: { __purchaseKey: KEY }, outputs: OUTPUTS }
}

/** As people write them: each method does its work by itself, and is stored with every resource. */
const INLINE_PROVIDER = `{
  async check(olds, news) {
    const failures = typeof news.serviceId === "number" ? [] : [{ property: "serviceId", reason: "must be a number" }]
    return { inputs: news, failures }
  },
  async diff(id, olds, news) {
    const changed = ["serviceId", "hostname", "os"].filter((name) => olds[name] !== news[name])
    return { changes: changed.length > 0, replaces: changed, deleteBeforeReplace: true }
  },
  async create(inputs) {
    const ask = async (method, path, body) => {
      const response = await fetch(process.env.VPS_BASE_URL + path, {
        method,
        headers: { authorization: "Bearer " + process.env.VPS_API_KEY, "content-type": "application/json" },
        body: body && JSON.stringify(body)
      })
      if (!response.ok) throw new Error(method + " " + path + ": " + response.status)
      return await response.json()
    }
    const { hostname, os, serviceId } = inputs
    let instance = await ask("POST", "/instances", { service_id: serviceId, hostname, os })
    for (let pause = 25; instance.status !== "running"; pause = pause * 4) {
      await new Promise((resolve) => setTimeout(resolve, pause))
      instance = await ask("GET", "/instances/" + instance.id)
    }
    return { id: String(instance.id), outs: { ...inputs, ipv4: instance.ipv4, status: instance.status } }
  },
  async read(id, props) {
    const response = await fetch(process.env.VPS_BASE_URL + "/instances/" + id, {
      headers: { authorization: "Bearer " + process.env.VPS_API_KEY }
    })
    if (response.status === 404) return {}
    const { ipv4, status } = await response.json()
    return { id, props: { ...props, ipv4, status } }
  },
  async delete(id) {
    const response = await fetch(process.env.VPS_BASE_URL + "/instances/" + id + "/stop", {
      method: "POST",
      headers: { authorization: "Bearer " + process.env.VPS_API_KEY }
    })
    if (!response.ok) throw new Error("stop " + id + ": " + response.status)
  }
}`

const NOOP_RUNTIME = `let made = 0
const { inputs, outputs } = JSON.parse(process.env.${STORED_BY_NOOP} ?? "{}")
export const instance = {
  configure: () => undefined,
  check: async (olds, news) => ({ inputs: { ...news, ...inputs }, failures: [] }),
  diff: async () => ({ changes: false }),
  create: async (given) => {
    for (const name in inputs) delete given[name]
    return { id: String(++made), outs: { ...given, ...outputs } }
  },
  read: async (id, props) => ({ id, props }),
  update: async (id, olds, news) => ({ outs: news }),
  delete: async () => undefined
}
`

const NOOP = `import * as pulumi from "@pulumi/pulumi"
const TEXT = ${JSON.stringify(NOOP_TEXT)}
class Noop extends pulumi.CustomResource {
  constructor(name, args) {
    super("pulumi-nodejs:dynamic/vps:Instance", name, { ...args, __provider: TEXT })
  }
}
${LOOP} new Noop(\`web-\${index}\`, ${ARGS})
`

const PLUGIN_NOOP = `import * as pulumi from "@pulumi/pulumi"
class Noop extends pulumi.CustomResource {
  constructor(name, args) {
    super("noop:index:Instance", name, args)
  }
}
${LOOP} new Noop(\`web-\${index}\`, ${ARGS})
`

const ours = (entry: string): string =>
  `import { Instance } from "pulumi-vps/${entry}"
${LOOP} new Instance(\`web-\${index}\`, ${ARGS})
`

export const CONTENDERS: ReadonlyArray<Contender> = [
  { name: "pulumi-vps", beside: "no-op, constant text", program: ours("provider") },
  { name: "no-op, constant text", program: NOOP },
  { name: "no-op, our state", beside: "no-op, constant text", program: NOOP, stored: STORED.dynamic },
  {
    name: "inline methods",
    program: `import * as pulumi from "@pulumi/pulumi"
const provider = ${INLINE_PROVIDER}
class Inline extends pulumi.dynamic.Resource {
  constructor(name, args) {
    super(provider, name, args)
  }
}
${LOOP} new Inline(\`web-\${index}\`, ${ARGS})
`,
    beside: "pulumi-vps"
  },
  { name: "pulumi-vps, plugin", beside: "no-op plugin", program: ours("pulumi") },
  // Ours loads parts of Pulumi's SDK; a program may load all of it, as those of the no-ops do.
  { name: "plugin, whole SDK", beside: "no-op plugin", program: `import "@pulumi/pulumi"\n${ours("pulumi")}` },
  { name: "no-op plugin", program: PLUGIN_NOOP },
  { name: "no-op plugin, our state", beside: "no-op plugin", program: PLUGIN_NOOP, stored: STORED.plugin }
]

const PROJECT = `name: project
runtime:
  name: nodejs
  options:
    typescript: false
main: index.js
plugins:
  providers:
    - name: vps
      path: ./node_modules/pulumi-vps/plugin
    - name: noop
      path: ./node_modules/noop-plugin
`

/** A project in a folder of its own; the package is found in its node_modules, built, as installed. */
export class BenchProject {
  readonly folder = mkdtempSync(join(tmpdir(), "vps-bench-stack-"))

  private readonly stored: object | undefined

  constructor({ program, stored }: Contender) {
    this.stored = stored
    const modules = join(this.folder, "node_modules")
    mkdirSync(join(modules, "@pulumi"), { recursive: true })
    mkdirSync(join(modules, NOOP_PACKAGE, "provider"), { recursive: true })
    mkdirSync(join(this.folder, ".home"))
    mkdirSync(join(modules, "noop-plugin"))
    for (const name of ["@grpc", "google-protobuf"]) symlinkSync(join(ROOT, "node_modules", name), join(modules, name))
    symlinkSync(join(ROOT, "provider"), join(modules, "pulumi-vps"))
    symlinkSync(join(ROOT, "node_modules/@pulumi/pulumi"), join(modules, "@pulumi/pulumi"))
    const stub = { name: NOOP_PACKAGE, type: "module", exports: { "./provider/runtime": "./provider/runtime.js" } }
    const files = {
      [join(modules, NOOP_PACKAGE, "package.json")]: JSON.stringify(stub),
      [join(modules, NOOP_PACKAGE, "provider/runtime.js")]: NOOP_RUNTIME,
      [join(this.folder, "package.json")]: JSON.stringify({ name: "project", private: true, type: "module" }),
      [join(this.folder, "Pulumi.yaml")]: PROJECT,
      [join(modules, "noop-plugin/pulumi-resource-noop")]: NOOP_PLUGIN,
      [join(this.folder, "index.js")]: program
    }
    for (const [file, text] of Object.entries(files)) writeFileSync(file, text)
    chmodSync(join(modules, "noop-plugin/pulumi-resource-noop"), 0o755)
  }

  environment(variables: Record<string, string>): Record<string, string> {
    const { NODE_OPTIONS: _, PATH = "", ...own } = process.env as Record<string, string>
    return {
      ...own,
      PATH: `${join(ROOT, "node_modules/.bin")}:${PATH}`,
      NODE_NO_WARNINGS: "1",
      NO_COLOR: "1",
      PULUMI_HOME: join(this.folder, ".home"),
      PULUMI_SKIP_UPDATE_CHECK: "true",
      PULUMI_CONFIG_PASSPHRASE: "benchmark",
      PULUMI_BACKEND_URL: `file://${this.folder}`,
      ...this.stored !== undefined && { [STORED_BY_NOOP]: JSON.stringify(this.stored) },
      ...variables
    }
  }

  dispose(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
