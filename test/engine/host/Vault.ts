/** Encrypts the secrets among a resource's properties, as the real engine does before it stores them. */
import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from "node:crypto"
import { secret, secretsIn, unwrap, type Values } from "./Wire.ts"

const CIPHER = "aes-256-gcm"
/** Bytes; what AES-GCM takes. */
const [KEY_LENGTH, NONCE_LENGTH, TAG_LENGTH] = [32, 12, 16]

export class Vault {
  readonly #key: Buffer

  constructor(passphrase: string) {
    this.#key = scryptSync(passphrase, "test-engine", KEY_LENGTH)
  }

  seal(values: Values): Values {
    const secrets = secretsIn(values)
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        secrets.includes(name) ? { ciphertext: this.#encrypt(JSON.stringify(unwrap(value))) } : value
      ])
    )
  }

  open(values: Values): Values {
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => {
        const sealed = value !== null && typeof value === "object" ? (value as Values)["ciphertext"] : undefined
        return [name, typeof sealed === "string" ? secret(JSON.parse(this.#decrypt(sealed))) : value]
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
