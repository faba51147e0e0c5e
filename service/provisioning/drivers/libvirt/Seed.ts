/** The data of a machine's first boot, in the format that cloud-init reads from a disc (NoCloud). */
import * as Redacted from "effect/Redacted"
import { randomBytes } from "node:crypto"
import type { Assignment } from "../../../persistence/Addresses.ts"
import { iso9660 } from "./Iso9660.ts"
import { macOf } from "./MachineRecord.ts"
import { passwordHash } from "./PasswordHash.ts"

export interface SeedData {
  /** Another one makes the system apply the data again. */
  readonly id: string
  readonly hostname: string
  readonly sshPublicKey: string | null
  /** Null: a random one, which is discarded. */
  readonly rootPassword: Redacted.Redacted<string> | null
  readonly assignment: Assignment
  readonly nameservers: ReadonlyArray<string>
}

const RANDOM_BYTES = 24

/** JSON texts are YAML texts. */
const quoted = (text: string): string => JSON.stringify(text)

/** Debian, and others, admit root by key only. */
const SSH_CONFIG = { path: "/etc/ssh/sshd_config.d/10-root-password.conf", content: "PermitRootLogin yes\n" }

/**
 * The system continues to use cloud-init after the disc is gone, so that its file system grows with the disk. Without
 * this file, cloud-init looks for the disc at each boot.
 */
const CACHED = { path: "/var/lib/cloud/instance/manual-clean", content: "" }

const userData = ({ rootPassword, sshPublicKey }: SeedData): string => {
  const password = rootPassword === null
    ? randomBytes(RANDOM_BYTES).toString("base64url")
    : Redacted.value(rootPassword)
  // The disc holds the hash only: it can be read on the host until the first boot is over.
  const hash = quoted(passwordHash(password))
  const keys = sshPublicKey === null ? "" : `ssh_authorized_keys:\n  - ${quoted(sshPublicKey.trim())}\n`
  return `#cloud-config
disable_root: false
ssh_pwauth: true
write_files: ${JSON.stringify([SSH_CONFIG, CACHED])}
chpasswd:
  expire: false
  users:
    - {name: root, password: ${hash}, type: hash}
${keys}`
}

/** The gateway is the only neighbor: the filter admits advertisements of no other, so its siblings are behind it. */
const ipv6Of = ({ ipv6, ipv6Gateway }: Assignment) => ({
  addresses: ipv6 === null ? [] : [`${ipv6}/128`],
  routes: ipv6 === null ? [] : [{ to: "::/0", via: ipv6Gateway, "on-link": true }]
})

const networkConfig = ({ assignment, nameservers }: SeedData): string => {
  const { address, gateway, prefix } = assignment
  const { addresses, routes } = ipv6Of(assignment)
  const dns = nameservers.length === 0 ? "" : `    nameservers: ${JSON.stringify({ addresses: nameservers })}\n`
  return `version: 2
ethernets:
  eth0:
    match: ${JSON.stringify({ macaddress: macOf(address) })}
    set-name: eth0
    addresses: ${JSON.stringify([`${address}/${prefix}`, ...addresses])}
    routes: ${JSON.stringify([{ to: "0.0.0.0/0", via: gateway }, ...routes])}
${dns}`
}

export const seedDisc = (data: SeedData): Buffer =>
  iso9660("cidata", {
    "meta-data": `instance-id: ${data.id}\nlocal-hostname: ${data.hostname}\n`,
    "user-data": userData(data),
    "network-config": networkConfig(data)
  })
