/** The definitions of machines and volumes for libvirt. */
import { type ByHand, namespaceOf, NOTHING } from "./ByHand.ts"
import type { Host } from "../../../persistence/Hosts.ts"
import { IPV4_FILTER, IPV6_FILTER } from "./FilterXml.ts"
import { escape, linkLocalOf, type MachineRecord, macOf, seedVolume, toElement, uuidOf } from "./MachineRecord.ts"

/** The part of a host that definitions name. */
export type Place = Pick<Host, "pool" | "bridge" | "accelerator">

/** The drives of a machine: the customer's ISO or the rescue system, and the data of the first boot. */
const ISO_DRIVE = "sda"
const SEED_DRIVE = "sdb"

const drive = (target: string, pool: string, volume: string | null): string => {
  const source = volume === null ? "" : `<source pool="${escape(pool)}" volume="${escape(volume)}"/>`
  return `<disk type="volume" device="cdrom"><driver name="qemu" type="raw"/>${source}`
    + `<target dev="${target}" bus="scsi"/><readonly/></disk>`
}

/** An empty drive has no type of its own. */
const emptyDrive = (target: string): string =>
  `<disk type="file" device="cdrom"><driver name="qemu" type="raw"/>`
  + `<target dev="${target}" bus="scsi"/><readonly/></disk>`

const driveOf = (target: string, pool: string, volume: string | null): string =>
  volume === null ? emptyDrive(target) : drive(target, pool, volume)

export const isoDrive = ({ pool }: Place, volume: string | null): string => driveOf(ISO_DRIVE, pool, volume)
export const seedDrive = ({ pool }: Place, volume: string | null): string => driveOf(SEED_DRIVE, pool, volume)

/** Link-local addresses are a router's in any case, so one is as good as no gateway. */
const NO_GATEWAY = "fe80::1"

const filter = ({ ipv4, ipv6 }: Own, gateway6: string | null): string => {
  const reference = (name: string, parameters: Readonly<Record<string, string>>) =>
    `<filterref filter="${name}">${
      Object.entries(parameters).map(([name, value]) => `<parameter name="${name}" value="${escape(value)}"/>`).join("")
    }</filterref>`
  if (ipv6 === null) return reference(IPV4_FILTER, { IP: ipv4 })
  const gateway = gateway6 ?? NO_GATEWAY
  return reference(IPV6_FILTER, { IP: ipv4, IPV6: ipv6, LINK_LOCAL: linkLocalOf(ipv4), GATEWAY6: gateway })
}

/** The addresses that a machine may use. */
type Own = Pick<MachineRecord, "ipv4" | "ipv6">

const network = (bridge: string, own: Own, gateway6: string | null, more = ""): string =>
  `<interface type="bridge"><mac address="${macOf(own.ipv4)}"/><source bridge="${escape(bridge)}"/>`
  + `<model type="virtio"/>${filter(own, gateway6)}${more}</interface>`

const ETHERNET_MTU = 1_500

const TYPE = { kvm: "kvm", qemu: "qemu" } as const

/** Boots from the disk, or from the rescue system with the disk attached. */
const boot = ({ bootMode }: MachineRecord): string =>
  bootMode === "rescue" ? `<boot dev="cdrom"/><boot dev="hd"/>` : `<boot dev="hd"/><boot dev="cdrom"/>`

/** The parts of a definition that are found on its host. */
interface OnHost {
  /** Of the bridge; the guest has to know another one than Ethernet's, because longer packets are dropped. */
  readonly mtu: number | null
  readonly byHand: ByHand
}

export const networkXml = (
  own: Own,
  { bridge }: Pick<Place, "bridge">,
  gateway6: string | null,
  onHost: OnHost
): string => {
  const { byHand, mtu } = onHost
  const mtuXml = mtu === null || mtu === ETHERNET_MTU ? "" : `<mtu size="${mtu}"/>`
  return network(bridge, own, gateway6, mtuXml + byHand.network)
}

/** `screen` is the graphics element, and `gateway6` the address of the IPv6 router. */
export const domainXml = (
  record: MachineRecord,
  place: Place,
  screen: string,
  gateway6: string | null,
  { byHand, mtu }: OnHost = { byHand: NOTHING, mtu: null }
): string => {
  const { cpus, disk, iso, memoryMib, rescue, seeded, tag } = record
  return `<domain type="${TYPE[place.accelerator]}"${namespaceOf(byHand)}>
  ${byHand.root}
  <name>${escape(tag)}</name><uuid>${uuidOf(tag)}</uuid>
  <metadata>${toElement(record)}</metadata>
  <memory unit="MiB">${memoryMib}</memory><vcpu>${cpus}</vcpu>
  <os><type arch="x86_64" machine="pc">hvm</type>${boot(record)}</os>
  <features><acpi/></features>
  ${place.accelerator === "kvm" ? `<cpu mode="host-model"/>` : ""}
  <on_poweroff>destroy</on_poweroff><on_reboot>restart</on_reboot><on_crash>restart</on_crash>
  <devices>
    <disk type="volume" device="disk"><driver name="qemu" type="qcow2" discard="unmap"/>
      <source pool="${escape(place.pool)}" volume="${
    escape(disk)
  }"/><target dev="vda" bus="virtio"/>${byHand.disk}</disk>
    <controller type="scsi" model="virtio-scsi"/>
    ${isoDrive(place, rescue ?? iso)}
    ${seeded ? seedDrive(place, seedVolume(tag)) : ""}
    ${networkXml(record, place, gateway6, { byHand, mtu })}
    ${byHand.devices}
    <channel type="unix"><target type="virtio" name="org.qemu.guest_agent.0"/></channel>
    <serial type="pty"/>
    ${screen}
    <video><model type="vga" vram="16384"/></video>
    <memballoon model="virtio"><stats period="10"/></memballoon>
    <rng model="virtio"><backend model="random">/dev/urandom</backend></rng>
  </devices>
</domain>`
}

const TRIAL_MIB = 64
/** Of the networks for documentation (RFC 5737): no machine has it. */
const TRIAL_ADDRESS = "192.0.2.1"

/** A machine without a disk, to try a host out. */
export const trialXml = (uuid: string, { accelerator, bridge }: Place): string =>
  `<domain type="${TYPE[accelerator]}"><name>vps-trial-${uuid}</name><uuid>${uuid}</uuid>
  <memory unit="MiB">${TRIAL_MIB}</memory><vcpu>1</vcpu><os><type arch="x86_64" machine="pc">hvm</type></os>
  <devices>${network(bridge, { ipv4: TRIAL_ADDRESS, ipv6: null }, null)}</devices></domain>`

/** The disk of a machine: empty, or on top of an image that stays unchanged. A version 2 qcow2 could not grow. */
export const diskXml = (name: string, diskGib: number, basePath: string | null): string => {
  const base = basePath === null
    ? ""
    : `<backingStore><path>${escape(basePath)}</path><format type="qcow2"/></backingStore>`
  return `<volume><name>${escape(name)}</name><capacity unit="GiB">${diskGib}</capacity><allocation>0</allocation>
    <target><format type="qcow2"/><compat>1.1</compat></target>${base}</volume>`
}

const OWNER_ONLY = "0600"

/** A volume that is uploaded; `secret` keeps it from other users of the host. */
export const rawXml = (name: string, bytes: number, secret = false): string => {
  const mode = secret ? `<permissions><mode>${OWNER_ONLY}</mode></permissions>` : ""
  return `<volume><name>${escape(name)}</name><capacity>${bytes}</capacity><allocation>${bytes}</allocation>
    <target><format type="raw"/>${mode}</target></volume>`
}

/** A full copy of the disk of a running machine. */
export const backupXml = (path: string): string =>
  `<domainbackup mode="push"><disks><disk name="vda" type="file"><driver type="qcow2"/>`
  + `<target file="${escape(path)}"/></disk></disks></domainbackup>`
