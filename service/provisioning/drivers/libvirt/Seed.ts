/** The data of a machine's first boot, in the format that cloud-init reads from a disc (NoCloud). */
import * as Redacted from "effect/Redacted"
import { createHash, randomBytes } from "node:crypto"
import type { Assignment } from "../../../persistence/Addresses.ts"
import { iso9660 } from "./Iso9660.ts"
import { macOf } from "./MachineRecord.ts"

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

/** JSON texts are YAML texts. Without quotes, YAML reads the name `yes` as true, and 0x10 as 16. */
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
    "meta-data": `instance-id: ${quoted(data.id)}\nlocal-hostname: ${quoted(data.hostname)}\n`,
    "user-data": userData(data),
    "network-config": networkConfig(data)
  })

/* SHA-512 crypt (`$6$`), the form of passwords in /etc/shadow, which Node.js has no function for. */

const ALPHABET = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
/** The default of the algorithm, which is omitted from the hash. */
const ROUNDS = 5_000
const DIGEST_BYTES = 64
const SALT_LENGTH = 16
const BITS = 6

const sha512 = (...parts: ReadonlyArray<Buffer>): Buffer => {
  const digest = createHash("sha512")
  for (const part of parts) digest.update(part)
  return digest.digest()
}

/** The first bytes of a repeated block. */
const repeated = (block: Buffer, length: number): Buffer =>
  Buffer.concat(Array.from({ length: Math.ceil(length / DIGEST_BYTES) }, () => block)).subarray(0, length)

const initial = (password: Buffer, salt: Buffer): Buffer => {
  const other = sha512(password, salt, password)
  const parts = [password, salt, repeated(other, password.length)]
  for (let bits = password.length; bits > 0; bits >>= 1) parts.push(bits % 2 === 1 ? other : password)
  return sha512(...parts)
}

const rounds = (password: Buffer, salt: Buffer): Buffer => {
  const first = initial(password, salt)
  const p = repeated(sha512(...Array.from(password, () => password)), password.length)
  const s = repeated(sha512(...Array.from({ length: 16 + first[0]! }, () => salt)), salt.length)
  let digest = first
  for (let round = 0; round < ROUNDS; round++) {
    const odd = round % 2 === 1
    digest = sha512(
      odd ? p : digest,
      ...(round % 3 === 0 ? [] : [s]),
      ...(round % 7 === 0 ? [] : [p]),
      odd ? digest : p
    )
  }
  return digest
}

/** A number of 24 bits, least significant letter first. */
const letters = (number: number, count: number): string =>
  Array.from({ length: count }, (_, place) => ALPHABET[(number >> (BITS * place)) % ALPHABET.length]!).join("")

/** Bytes of the digest in the order of the algorithm: each triple is rotated once more than the one before. */
const encode = (digest: Buffer): string => {
  let text = ""
  for (let index = 0; index < 21; index++) {
    const triple = [digest[index]!, digest[index + 21]!, digest[index + 42]!]
    const [high, middle, low] = [0, 1, 2].map((place) => triple[(place + index) % 3]!)
    text += letters(high! << 16 | middle! << 8 | low!, 4)
  }
  return text + letters(digest[63]!, 2)
}

const randomSalt = (): string =>
  Array.from(randomBytes(SALT_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]!).join("")

/** The hash of a password, for /etc/shadow. */
export const passwordHash = (password: string, salt: string = randomSalt()): string =>
  `$6$${salt}$${encode(rounds(Buffer.from(password), Buffer.from(salt)))}`
