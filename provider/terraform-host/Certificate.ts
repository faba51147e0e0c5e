/**
 * A self-signed certificate, with which go-plugin's two sides recognize each other. Node.js signs, but writes no
 * certificates; X.509 (RFC 5280) needs few lines of DER.
 */
import { generateKeyPairSync, randomBytes, sign } from "node:crypto"

export interface Certificate {
  readonly der: Buffer
  /** In PEM, as its key. */
  readonly certificate: string
  readonly key: string
}

// DER: a tag, a length, and the contents.

const BOOLEAN = 0x01
const INTEGER = 0x02
const BIT_STRING = 0x03
const OCTET_STRING = 0x04
const OBJECT_IDENTIFIER = 0x06
const UTF8_STRING = 0x0c
const GENERALIZED_TIME = 0x18
const SEQUENCE = 0x30
const SET = 0x31
/** A general name, in a subject's alternative names. */
const DNS_NAME = 0x82

const lengthOf = (length: number): ReadonlyArray<number> => {
  if (length < 0x80) return [length]
  return length < 0x1_00 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
}

const der = (tag: number, ...parts: ReadonlyArray<Buffer>): Buffer => {
  const contents = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag, ...lengthOf(contents.length)]), contents])
}

const sequence = (...parts: ReadonlyArray<Buffer>): Buffer => der(SEQUENCE, ...parts)
const explicit = (number: number, ...parts: ReadonlyArray<Buffer>): Buffer => der(0xa0 + number, ...parts)
const identifier = (hex: string): Buffer => der(OBJECT_IDENTIFIER, Buffer.from(hex, "hex"))
const yes = der(BOOLEAN, Buffer.from([0xff]))

/** "20261127140000Z" */
const time = (ms: number): Buffer =>
  der(GENERALIZED_TIME, Buffer.from(`${new Date(ms).toISOString().replaceAll(/[-:T]|\..*/g, "")}Z`))

// The object identifiers, by their names in the standard.

const ECDSA_WITH_SHA256 = sequence(identifier("2a8648ce3d040302"))
const COMMON_NAME = identifier("550403")
const KEY_USAGE = identifier("551d0f")
const EXTENDED_KEY_USAGE = identifier("551d25")
const SERVER_AUTH = identifier("2b06010505070301")
const CLIENT_AUTH = identifier("2b06010505070302")
const BASIC_CONSTRAINTS = identifier("551d13")
const SUBJECT_ALT_NAME = identifier("551d11")

/** go-plugin's client connects to this name. */
const HOST = Buffer.from("localhost")
const NAME = sequence(der(SET, sequence(COMMON_NAME, der(UTF8_STRING, HOST))))

const extension = (name: Buffer, value: Buffer): Buffer => sequence(name, der(OCTET_STRING, value))
const critical = (name: Buffer, value: Buffer): Buffer => sequence(name, yes, der(OCTET_STRING, value))

/** digitalSignature, keyEncipherment and keyCertSign; the last two bits of the byte are unused. */
const USAGES = der(BIT_STRING, Buffer.from([2, 0b1010_0100]))

const EXTENSIONS = sequence(
  critical(KEY_USAGE, USAGES),
  extension(EXTENDED_KEY_USAGE, sequence(SERVER_AUTH, CLIENT_AUTH)),
  // The other side trusts exactly this certificate, as the authority of itself.
  critical(BASIC_CONSTRAINTS, sequence(yes)),
  extension(SUBJECT_ALT_NAME, sequence(der(DNS_NAME, HOST)))
)

/** ms; both processes have the same clock, but a certificate is valid from a whole second. */
const EARLIER = 60_000
/** ms; longer than any run of a provider. */
const LIFETIME = 365 * 86_400_000

const VERSION_3 = explicit(0, der(INTEGER, Buffer.from([2])))

/** A positive number of 127 bits. */
const serialNumber = (): Buffer => {
  const [first = 0, ...rest] = randomBytes(16)
  return der(INTEGER, Buffer.from([(first & 0x7f) | 0x40, ...rest]))
}

/** A new key pair of P-256, with a certificate for "localhost" that is valid for a year. `now`: ms since 1970. */
export const selfSigned = (now: number): Certificate => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const contents = sequence(
    VERSION_3,
    serialNumber(),
    ECDSA_WITH_SHA256,
    NAME,
    sequence(time(now - EARLIER), time(now + LIFETIME)),
    NAME,
    publicKey.export({ type: "spki", format: "der" }),
    explicit(3, EXTENSIONS)
  )
  const signature = der(BIT_STRING, Buffer.from([0]), sign("sha256", contents, privateKey))
  const certificate = sequence(contents, ECDSA_WITH_SHA256, signature)
  return {
    der: certificate,
    certificate: toPem(certificate),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString()
  }
}

const LINE = /.{1,64}/g

export const toPem = (certificate: Buffer): string =>
  ["-----BEGIN CERTIFICATE-----", ...certificate.toString("base64").match(LINE) ?? [], "-----END CERTIFICATE-----", ""]
    .join("\n")
