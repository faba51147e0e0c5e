/** What only this service knows: it keys the digests of API keys and encrypts the secrets of waiting tasks. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hash, hkdfSync, randomBytes } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { isPostgres } from "./persistence/postgres/Address.ts"

/** The secret is missing, too short, or not the one that sealed a value. */
export class SecretUnusable extends Schema.TaggedError<SecretUnusable>()("SecretUnusable", {
  message: Schema.String
}) {}

export class Secret extends Context.Service<Secret, {
  /** Keyed digest of a text, hex; the same for the same secret. */
  readonly digest: (text: string) => string
  /** Digests under every known secret, the current one first: values written before a rotation are still found. */
  readonly digests: (text: string) => ReadonlyArray<string>
  /**
   * A short keyed mark of a text, 16 hex digits: enough to tell two texts apart, and nothing that could be guessed
   * without the secret. Six times cheaper than `digest`; being cut short, it needs no HMAC against extension.
   */
  readonly mark: (text: string) => string
  /** Encrypts a text (AES-256-GCM). */
  readonly seal: (text: string) => string
  /** Decrypts what `seal` made; throws `SecretUnusable` when no known secret fits. */
  readonly open: (sealed: string) => string
}>()("pulumi-vps/service/Secret") {}

/** Shortest secret, in characters: 32 characters of hex are 128 bits. */
const MIN_LENGTH = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32
const OWNER_ONLY = 0o600

/** Hex digits of a mark: 64 bits. */
const MARK_LENGTH = 16

const derive = (secret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, "", `pulumi-vps ${purpose}`, KEY_BYTES))

const makeOne = (secret: string) => {
  // A key object is prepared once; a raw key is inspected at every use, which takes six times as long as the digest.
  const pepper = createSecretKey(derive(secret, "api keys"))
  const sealing = derive(secret, "task secrets")
  const marking = derive(secret, "fingerprints").toString("hex")
  return {
    digest: (text: string) => createHmac("sha256", pepper).update(text).digest("hex"),
    mark: (text: string) => hash("sha256", `${marking}${text}`, "hex").slice(0, MARK_LENGTH),
    seal: (text: string) => {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv("aes-256-gcm", sealing, nonce)
      const body = Buffer.concat([cipher.update(text), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64")
    },
    open: (sealed: string): string | undefined => {
      const bytes = Buffer.from(sealed, "base64")
      const decipher = createDecipheriv("aes-256-gcm", sealing, bytes.subarray(0, NONCE_BYTES))
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      try {
        const body = bytes.subarray(NONCE_BYTES + TAG_BYTES)
        return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8")
      } catch { // sealed under another secret, or damaged
        return undefined
      }
    }
  }
}

/** The first secret is used for new values, all of them for reading. */
export const make = (secrets: ReadonlyArray<string>): Secret["Service"] => {
  const [current, ...older] = secrets.map(makeOne)
  if (current === undefined || secrets.some((secret) => secret.length < MIN_LENGTH)) {
    throw new SecretUnusable({ message: `VPS_SERVICE_SECRET should have at least ${MIN_LENGTH} characters.` })
  }
  const all = [current, ...older]
  return {
    digest: current.digest,
    mark: current.mark,
    digests: (text) => all.map((one) => one.digest(text)),
    seal: current.seal,
    open: (sealed) => {
      for (const one of all) {
        const opened = one.open(sealed)
        if (opened !== undefined) return opened
      }
      throw new SecretUnusable({ message: "VPS_SERVICE_SECRET is not the one under which this was sealed." })
    }
  }
}

/** The emulator's is fixed, so that its API key is the same after a restart and a reset. It protects nothing. */
const EMULATOR_SECRET = "emulator-secret-that-protects-nothing"

export interface SecretSource {
  /** `VPS_SERVICE_SECRET`, or empty. */
  readonly given: string
  readonly emulator: boolean
  /** A file path, `:memory:`, or PostgreSQL's URL. */
  readonly database: string
}

const SHARED =
  "VPS_SERVICE_SECRET is not set. On PostgreSQL it has to be, and the same for every replica: it opens what "
  + "is stored there. Make one with: openssl rand -hex 32"

/** The secrets in force; a fresh database file gets one of its own beside it, readable by its owner only. */
export const load = ({ database, emulator, given }: SecretSource): Secret["Service"] => {
  if (given !== "") return make(given.split(",").map((secret) => secret.trim()))
  if (emulator) return make([EMULATOR_SECRET])
  if (isPostgres(database)) throw new SecretUnusable({ message: SHARED })
  if (database === ":memory:") return make([randomBytes(KEY_BYTES).toString("hex")])
  const path = `${database}.secret`
  if (!existsSync(path)) {
    writeFileSync(path, `${randomBytes(KEY_BYTES).toString("hex")}\n`, { mode: OWNER_ONLY, flag: "wx" })
  }
  return make([readFileSync(path, "utf8").trim()])
}

/** The secrets in force; fails with `SecretUnusable`. */
export const layer = (source: SecretSource): Layer.Layer<Secret, SecretUnusable> =>
  Layer.effect(
    Secret,
    Effect.try({
      try: () => load(source),
      catch: (cause) => cause instanceof SecretUnusable ? cause : new SecretUnusable({ message: String(cause) })
    })
  )
