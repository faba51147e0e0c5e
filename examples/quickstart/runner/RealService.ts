/** The built service with the libvirt driver, and a libvirt host of its own in namespaces of this computer. */
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { QuickstartError } from "./Output.ts"
import { cleanEnvironment, run, serve } from "./Processes.ts"
import type { Project } from "./Project.ts"
import type { Account, Endpoint } from "./Service.ts"

interface Host {
  readonly socket: string
  readonly exec: (...command: ReadonlyArray<string>) => string
  readonly stop: () => void
}

interface Hosts {
  /** The reason why no host can be started here. */
  readonly noHosts: string | undefined
  readonly startHost: (name: string) => Host
}

interface Guests {
  readonly makeGuest: () => { readonly disk: string }
}

/** The scripts of the repository's tests: the user's own machines and networks are neither used nor changed. */
const fromTests = (file: string) => import(new URL(`../../../test/libvirt/${file}`, import.meta.url).href)

const CATALOGUE = `data_centers:
  - { id: 1, label: Helsinki }
images:
  - { os_id: 1, slug: debian-12, label: A tiny Linux, version: "1", family: linux, data_centers: [Helsinki],
      default_in: [Helsinki] }
plans:
  - { id: 1, slug: vps-s, name: VPS S, price: 4.99, currency: EUR, category: vps, data_center: Helsinki,
      specs: { vcpu: 1, ram: 256 MB, storage: 1 GB } }
`

/** Fails with one sentence where libvirt cannot be used. */
export const assertReal = async (): Promise<void> => {
  const { noHosts } = await fromTests("Host.ts") as Hosts
  if (noHosts === undefined) return
  throw new QuickstartError(
    `--real ${noHosts}. Install the packages that .ci/run names and run it as root, or leave --real out: instances are `
      + "then simulated."
  )
}

let host: Host | undefined

export const stopHost = (): void => {
  host?.stop()
  host = undefined
}

interface Line {
  readonly kind: string
  readonly amount: number
}

/** An operator's work before the first sale. */
const setUp = async (
  admin: (command: string) => Promise<string>,
  parent: string,
  { socket }: Host
): Promise<string> => {
  const { disk } = (await fromTests("Guest.ts") as Guests).makeGuest()
  const catalogue = join(parent, "catalogue.yaml")
  writeFileSync(catalogue, CATALOGUE)
  const sha256 = createHash("sha256").update(readFileSync(disk)).digest("hex")
  await admin(`catalogue import ${catalogue}`)
  await admin(`hosts add alpha --data-center Helsinki --uri unix:${socket} --accelerator qemu --reserved-mib 0`)
  await admin("addresses add 203.0.113.0/24 --gateway 203.0.113.1 --data-center Helsinki")
  await admin(`images import debian-12 --file ${disk} --sha256 ${sha256}`)
  await admin("accounts create --email you@example.com")
  await admin("wallet top-up 1 1000 --reference play-money")
  const created = await admin("keys create --account 1 --scope vps:create")
  return (JSON.parse(created) as { readonly api_key: string }).api_key
}

export const startRealService = async ({ folder, service }: Project, parent: string): Promise<Endpoint> => {
  host = (await fromTests("Host.ts") as Hosts).startHost("alpha")
  host.exec("virsh", "pool-create-as", "default", "dir", "--target", "/var/lib/libvirt/images", "--build")
  const database = join(parent, "vps.db")
  const command = (args: ReadonlyArray<string>) => ({
    file: process.execPath,
    args: [service, ...args],
    cwd: folder,
    env: { ...cleanEnvironment(), VPS_SERVICE_DRIVER: "libvirt", VPS_SERVICE_DATABASE: database }
  })
  const ready = JSON.parse(await serve(command(["--port", "0"]))) as { readonly url: string }
  const admin = (text: string) => run(command(["admin", ...text.split(" "), "-o", "json"]), { quiet: true })
  const account = async (): Promise<Account> => {
    const lines = JSON.parse(await admin("wallet statement 1")) as ReadonlyArray<Line>
    return {
      charges: lines.filter(({ kind }) => kind === "instance_create").map(({ amount }) => -amount),
      wallet: lines.reduce((sum, { amount }) => sum + Math.round(amount * 100), 0) / 100
    }
  }
  return { url: ready.url, api_key: await setUp(admin, parent, host), account }
}
