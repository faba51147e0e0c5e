/** A device with passkeys, as WebAuthn Level 2 describes one: P-256 keys, attestation "none", discoverable. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto"

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url")
const sha256 = (data: Uint8Array | string): Buffer => createHash("sha256").update(data).digest()

/** The head of a CBOR item: its major type and its length or value (RFC 8949 §3). */
const head = (major: number, value: number): Buffer => {
  const type = major << 5
  if (value < 24) return Buffer.from([type | value])
  return value < 256 ? Buffer.from([type | 24, value]) : Buffer.from([type | 25, value >> 8, value & 255])
}

type Cbor = number | string | Uint8Array | ReadonlyArray<readonly [key: Cbor, value: Cbor]>

const cbor = (value: Cbor): Buffer => {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  return Buffer.concat([head(5, value.length), ...value.flatMap(([key, one]) => [cbor(key), cbor(one)])])
}

/** The public key in COSE: EC2, ES256, P-256, and its coordinates. */
const coseKey = (key: KeyObject): Buffer => {
  const { x, y } = key.export({ format: "jwk" })
  return cbor([[1, 2], [3, -7], [-1, 1], [-2, Buffer.from(x!, "base64url")], [-3, Buffer.from(y!, "base64url")]])
}

const PRESENT = 0x01
const VERIFIED = 0x04
const HAS_KEY = 0x40

interface Stored {
  readonly id: Buffer
  readonly domain: string
  readonly handle: string
  readonly privateKey: KeyObject
  counter: number
}

export interface DeviceOptions {
  /** The page on which the browser is. */
  readonly origin: string
  /** False if the person does not unlock the device. */
  readonly verified?: boolean
}

// oxlint-disable-next-line typescript/no-explicit-any
type Options = any

export class Device {
  readonly #keys: Array<Stored> = []

  #data(domain: string, flags: number, counter: number, more: Uint8Array = new Uint8Array()): Buffer {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([sha256(domain), Buffer.from([flags]), count, more])
  }

  /** The result of `navigator.credentials.create`, as JSON. */
  create({ challenge, rp, user }: Options, { origin, verified = true }: DeviceOptions) {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
    const id = randomBytes(16)
    this.#keys.push({ id, domain: rp.id, handle: user.id, privateKey, counter: 0 })
    const idLength = Buffer.from([0, id.length])
    const attested = Buffer.concat([Buffer.alloc(16), idLength, id, coseKey(publicKey)])
    const authData = this.#data(rp.id, PRESENT | HAS_KEY | (verified ? VERIFIED : 0), 0, attested)
    const client = Buffer.from(JSON.stringify({ type: "webauthn.create", challenge, origin, crossOrigin: false }))
    return {
      id: base64url(id),
      rawId: base64url(id),
      type: "public-key",
      clientExtensionResults: {},
      response: {
        clientDataJSON: base64url(client),
        attestationObject: base64url(cbor([["fmt", "none"], ["attStmt", []], ["authData", authData]])),
        transports: ["internal"]
      }
    }
  }

  /** The result of `navigator.credentials.get`, as JSON, with the newest key for the domain. */
  get({ challenge, rpId }: Options, { origin, verified = true }: DeviceOptions) {
    const key = this.#keys.findLast(({ domain }) => domain === rpId)!
    const authData = this.#data(rpId, PRESENT | (verified ? VERIFIED : 0), ++key.counter)
    const client = Buffer.from(JSON.stringify({ type: "webauthn.get", challenge, origin, crossOrigin: false }))
    const signature = sign("sha256", Buffer.concat([authData, sha256(client)]), key.privateKey)
    return {
      id: base64url(key.id),
      rawId: base64url(key.id),
      type: "public-key",
      clientExtensionResults: {},
      response: {
        clientDataJSON: base64url(client),
        authenticatorData: base64url(authData),
        signature: base64url(signature),
        userHandle: key.handle
      }
    }
  }
}
