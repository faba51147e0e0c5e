/** SHA-512 crypt (`$6$`), the form of passwords in /etc/shadow, which Node.js has no function for. */
import { createHash, randomBytes } from "node:crypto"

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
