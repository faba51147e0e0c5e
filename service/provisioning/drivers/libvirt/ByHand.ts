/**
 * The parts of a machine's definition that an operator has added by hand, such as a second disk, a limit, or a device
 * of the host. A definition is written as a whole, so each new one has to contain them again.
 */
import { IPV4_FILTER, IPV6_FILTER } from "./FilterXml.ts"

export interface ByHand {
  /** Elements of the definition itself, such as `cputune`. */
  readonly root: string
  readonly devices: string
  /** Elements inside the machine's own disk and network card. */
  readonly disk: string
  readonly network: string
}

export const NOTHING: ByHand = { root: "", devices: "", disk: "", network: "" }

const QEMU = "qemu:commandline"
const ROOT = new Set(
  ["title", "description", "cputune", "memtune", "blkiotune", "numatune", "memoryBacking", "iothreads", QEMU]
)
const DEVICES = new Set(
  ["hostdev", "filesystem", "tpm", "watchdog", "sound", "shmem", "vsock", "redirdev", "panic", "lease"]
)
const DISK = new Set(["iotune"])
const NETWORK = new Set(["bandwidth", "vlan", "link", "tune"])

/** The drives are those of the customer's ISO, and of the first boot. */
const OWN_DISKS = new Set(["vda", "sda", "sdb"])

/** The elements at a depth of XML as libvirt formats it: two spaces for each level. */
const elementsAt = (xml: string, depth: number): ReadonlyArray<{ readonly name: string; readonly xml: string }> => {
  const indent = "  ".repeat(depth)
  const element = new RegExp(
    `^${indent}<([a-zA-Z:]+)(?:[^>]*/>|[^>]*>[^\\n]*</\\1>|[^>]*>\\n[^]*?\\n${indent}</\\1>)$`,
    "gm"
  )
  return [...xml.matchAll(element)].map(([text, name]) => ({ name: name!, xml: text }))
}

const chosen = (xml: string, depth: number, names: ReadonlySet<string>): string =>
  elementsAt(xml, depth).filter(({ name }) => names.has(name)).map((each) => each.xml).join("\n")

const targetOf = (xml: string): string => /<target dev='([^']+)'/.exec(xml)?.[1] ?? ""

const isOwnNetwork = (xml: string, mac: string): boolean =>
  [`<mac address='${mac}'`, `filter='${IPV4_FILTER}'`, `filter='${IPV6_FILTER}'`].some((part) => xml.includes(part))

/** The parts of a definition that the driver does not write. */
export const byHandIn = (definition: string, mac: string): ByHand => {
  const devices = elementsAt(definition, 1).find(({ name }) => name === "devices")?.xml ?? ""
  const all = elementsAt(devices, 2)
  const named = (name: string) => all.filter((each) => each.name === name).map(({ xml }) => xml)
  const own = named("disk").find((xml) => targetOf(xml) === "vda") ?? ""
  const card = named("interface").find((xml) => isOwnNetwork(xml, mac)) ?? ""
  return {
    root: chosen(definition, 1, ROOT),
    devices: [
      ...all.filter(({ name }) => DEVICES.has(name)).map(({ xml }) => xml),
      ...named("disk").filter((xml) => !OWN_DISKS.has(targetOf(xml))),
      ...named("interface").filter((xml) => !isOwnNetwork(xml, mac))
    ].join("\n"),
    disk: chosen(own, 3, DISK),
    network: chosen(card, 3, NETWORK)
  }
}

/** The namespace that some of them need. */
export const namespaceOf = ({ root }: ByHand): string =>
  root.includes(`<${QEMU}`) ? ` xmlns:qemu="http://libvirt.org/schemas/domain/qemu/1.0"` : ""
