/** What only this service knows: it keys the digests of API keys and encrypts the secrets of waiting tasks. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hash, hkdfSync, randomBytes } from "node:crypto"
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { syncFolderOf } from "./runtime/Fsync.ts"
import { locate } from "./persistence/DatabaseLocation.ts"

/** The secret is missing, too short, or not the one that sealed a value. */
export class SecretUnusable extends Schema.TaggedError<SecretUnusable>()("SecretUnusable", {
  message: Schema.String
}) {}

/** Marks of one secret. */
export interface Marker {
  /** Names the secret and tells nothing of it; stored with what was made under it. */
  readonly id: string
  /**
   * A short keyed mark of a text, 16 hex digits: enough to tell two texts apart, and nothing that could be guessed
   * without the secret. Six times cheaper than `digest`; being cut short, it needs no HMAC against extension.
   */
  readonly mark: (text: string) => string
}

type Some<A> = readonly [A, ...Array<A>]

export class Secret extends Context.Service<Secret, {
  /** Keyed digest of a text under the current secret, after that one's id. */
  readonly digest: (text: string) => string
  /** What the digest of a text may be stored as, the current form first: values from before a rotation are found. */
  readonly digests: (text: string) => Some<string>
  /** One marker for every known secret, the current one first. */
  readonly markers: Some<Marker>
  /** Encrypts a text (AES-256-GCM) under the current secret, after that one's id. */
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

/** Hex digits of an id: 32 bits, to tell a handful of secrets apart. */
const ID_LENGTH = 8

/** Stands between the id of a secret and what was made under it; in neither hex nor base64. */
const AFTER_ID = ":"

/** Characters of what was made under a secret that tell which: its id, and what stands after it. */
export const SECRET_HEAD_LENGTH = ID_LENGTH + AFTER_ID.length

/** The id of the secret under which a digest or a sealed text was made; undefined for those of versions without ids. */
export const secretIdOf = (stored: string): string | undefined =>
  stored.charAt(ID_LENGTH) === AFTER_ID ? stored.slice(0, ID_LENGTH) : undefined

const derive = (secret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, "", `pulumi-vps ${purpose}`, KEY_BYTES))

const makeOne = (secret: string) => {
  // A key object is prepared once; a raw key is inspected at every use, which takes six times as long as the digest.
  const pepper = createSecretKey(derive(secret, "api keys"))
  const sealing = derive(secret, "task secrets")
  const marking = derive(secret, "fingerprints").toString("hex")
  return {
    id: derive(secret, "id").toString("hex").slice(0, ID_LENGTH),
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

type One = ReturnType<typeof makeOne>

const opened = (all: ReadonlyArray<One>, sealed: string): string | undefined => {
  const named = secretIdOf(sealed)
  if (named !== undefined) return all.find(({ id }) => id === named)?.open(sealed.slice(SECRET_HEAD_LENGTH))
  for (const one of all) {
    const text = one.open(sealed)
    if (text !== undefined) return text
  }
  return undefined
}

/** The first secret is used for new values, all of them for reading. */
export const make = (secrets: ReadonlyArray<string>): Secret["Service"] => {
  const [current, ...older] = secrets.map(makeOne)
  if (current === undefined || secrets.some((secret) => secret.length < MIN_LENGTH)) {
    throw new SecretUnusable({ message: `VPS_SERVICE_SECRET should have at least ${MIN_LENGTH} characters.` })
  }
  const all = [current, ...older] as const
  const named = ({ digest, id }: One, text: string) => `${id}${AFTER_ID}${digest(text)}`
  return {
    digest: (text) => named(current, text),
    digests: (text) => {
      const [first, ...others] = [named(current, text), ...older.map((one) => named(one, text))] as const
      // Versions without ids stored the digest alone.
      return [first, ...others, ...[first, ...others].map((one) => one.slice(SECRET_HEAD_LENGTH))]
    },
    markers: all,
    seal: (text) => `${current.id}${AFTER_ID}${current.seal(text)}`,
    open: (sealed) => {
      const text = opened(all, sealed)
      if (text !== undefined) return text
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

/** Those of `VPS_SERVICE_SECRET`, the current one first. */
export const givenSecrets = (given: string): ReadonlyArray<string> => given.split(",").map((secret) => secret.trim())

/** Where the secrets of a database file are, one in a line, the current one first. */
export const secretPath = (database: string): string => `${database}.secret`

/** A new one. */
const mint = (): string => randomBytes(KEY_BYTES).toString("hex")

/** The secrets in a file. */
export const readSecrets = (path: string): ReadonlyArray<string> => {
  const lines = readFileSync(path, "utf8").split("\n").map((line) => line.trim()).filter((line) => line !== "")
  if (lines.length === 0) throw new SecretUnusable({ message: `${path} is empty: put the service's secret back.` })
  return lines
}

/**
 * Puts these secrets in place of those in a file: all of them or, whatever happens, none. They are on the disk when it
 * returns, because what is made under them will be: a database that outlives its secret is worth little.
 */
const writeSecrets = (path: string, secrets: ReadonlyArray<string>): void => {
  const beside = `${path}.new`
  rmSync(beside, { force: true })
  writeFileSync(beside, secrets.map((secret) => `${secret}\n`).join(""), { mode: OWNER_ONLY, flag: "wx", flush: true })
  renameSync(beside, path)
  syncFolderOf(path)
}

/** Puts a new secret before those in a file; takes effect at the next start. Answers all ids, the new one first. */
export const rotate = (path: string): ReadonlyArray<string> => {
  const secrets = [mint(), ...readSecrets(path)]
  writeSecrets(path, secrets)
  return idsOf(secrets)
}

/** Leaves the current secret only in a file. Answers the ids of those that went. */
export const forget = (path: string): ReadonlyArray<string> => {
  const [current, ...older] = readSecrets(path)
  writeSecrets(path, [current!])
  return idsOf(older)
}

/** Their ids, in the same order. */
export const idsOf = (secrets: ReadonlyArray<string>): ReadonlyArray<string> =>
  secrets.map((secret) => makeOne(secret).id)

const SHARED =
  "VPS_SERVICE_SECRET is not set. On PostgreSQL it has to be, and the same for every replica: it opens what "
  + "is stored there. Make one with: openssl rand -hex 32"

/** The secrets in force; a fresh database file gets one of its own beside it, readable by its owner only. */
export const load = ({ database, emulator, given }: SecretSource): Secret["Service"] => {
  if (given !== "") return make(givenSecrets(given))
  if (emulator) return make([EMULATOR_SECRET])
  const { file, isServer } = locate(database)
  if (isServer) throw new SecretUnusable({ message: SHARED })
  if (file === undefined) return make([mint()])
  const path = secretPath(file)
  if (!existsSync(path)) writeSecrets(path, [mint()])
  return make(readSecrets(path))
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
