/** The state of a stack as one JSON file, written after every step, with secrets encrypted as the real engine does. */
import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from "node:crypto"
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { secret, secretsIn, unwrap, type Values } from "./Wire.ts"

export interface StoredResource {
  readonly urn: string
  readonly type: string
  readonly id: string
  readonly inputs: Values
  readonly outputs: Values
  readonly initErrors: ReadonlyArray<string>
  /** The old half of a replacement, still to be deleted. */
  readonly delete: boolean
}

export interface Pending {
  readonly type: "creating" | "updating" | "deleting"
  readonly urn: string
}

interface Document {
  readonly resources: ReadonlyArray<StoredResource>
  readonly pending: ReadonlyArray<Pending>
}

const CIPHER = "aes-256-gcm"
/** Bytes; what AES-GCM takes. */
const [KEY_LENGTH, NONCE_LENGTH, TAG_LENGTH] = [32, 12, 16]

export class State {
  readonly #file: string
  readonly #key: Buffer
  resources: Array<StoredResource>
  pending: Array<Pending>

  constructor(file: string, passphrase: string) {
    this.#file = file
    this.#key = scryptSync(passphrase, "test-engine", KEY_LENGTH)
    const stored: Document = existsSync(file)
      ? JSON.parse(readFileSync(file, "utf8")) as Document
      : { resources: [], pending: [] }
    this.resources = stored.resources.map((one) => ({
      ...one,
      inputs: this.#map(one.inputs, (text) => this.#decrypt(text)),
      outputs: this.#map(one.outputs, (text) => this.#decrypt(text))
    }))
    this.pending = [...stored.pending]
  }

  find(urn: string): StoredResource | undefined {
    return this.resources.find((one) => one.urn === urn && !one.delete)
  }

  begin(type: Pending["type"], urn: string): void {
    this.pending.push({ type, urn })
    this.save()
  }

  /** Ends the operation that this run began; one that a crash left behind stays, as in the real engine. */
  finish(type: Pending["type"], urn: string): void {
    const index = this.pending.findLastIndex((one) => one.type === type && one.urn === urn)
    this.pending.splice(index, 1)
    this.save()
  }

  /** Replaces the live resource of the same URN, or adds it. */
  put(resource: StoredResource): void {
    const index = this.resources.findIndex((one) => one.urn === resource.urn && !one.delete)
    if (index < 0) this.resources.push(resource)
    else this.resources[index] = resource
    this.save()
  }

  remove(resource: StoredResource): void {
    this.resources = this.resources.filter((one) => one !== resource)
    this.save()
  }

  /** A crash leaves either the old file or the new one. */
  save(): void {
    const encrypted = this.resources.map((one) => ({
      ...one,
      inputs: this.#seal(one.inputs),
      outputs: this.#seal(one.outputs)
    }))
    const document: Document = { resources: encrypted, pending: this.pending }
    writeFileSync(`${this.#file}.new`, JSON.stringify(document, undefined, 2))
    renameSync(`${this.#file}.new`, this.#file)
  }

  #seal(values: Values): Values {
    const secrets = secretsIn(values)
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        secrets.includes(name) ? { ciphertext: this.#encrypt(JSON.stringify(unwrap(value))) } : value
      ])
    )
  }

  #map(values: Values, decrypt: (text: string) => string): Values {
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => {
        const sealed = value !== null && typeof value === "object" ? (value as Values)["ciphertext"] : undefined
        return [name, typeof sealed === "string" ? secret(JSON.parse(decrypt(sealed))) : value]
      })
    )
  }

  #encrypt(text: string): string {
    const nonce = randomBytes(NONCE_LENGTH)
    const cipher = createCipheriv(CIPHER, this.#key, nonce)
    const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64")
  }

  #decrypt(text: string): string {
    const bytes = Buffer.from(text, "base64")
    const decipher = createDecipheriv(CIPHER, this.#key, bytes.subarray(0, NONCE_LENGTH))
    decipher.setAuthTag(bytes.subarray(NONCE_LENGTH, NONCE_LENGTH + TAG_LENGTH))
    return decipher.update(bytes.subarray(NONCE_LENGTH + TAG_LENGTH), undefined, "utf8") + decipher.final("utf8")
  }
}
