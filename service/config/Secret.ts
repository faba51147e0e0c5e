/** The service's secret: it keys the digests of API keys and encrypts the passwords of waiting tasks. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hash, hkdfSync, randomBytes } from "node:crypto"
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { inheritAccess, syncFolderOf, withdrawAccess } from "../runtime/FileAccess.ts"
import { locate } from "./DatabaseLocation.ts"

/** The secret is missing, too short, or not the one that sealed a value. */
export class SecretUnusable extends Schema.TaggedError<SecretUnusable>()("SecretUnusable", {
  message: Schema.String
}) {}

/** Identifies one secret, and makes keyed marks with it. */
export interface Marker {
  /** The id of the secret, stored with the values made with it. It reveals nothing of the secret. */
  readonly id: string
  /**
   * A short keyed mark of a text, 16 hex digits: enough to distinguish two texts, and not to be guessed without the
   * secret. Six times cheaper than `digest`; because it is truncated, it needs no HMAC against length extension.
   */
  readonly mark: (text: string) => string
}

type Some<A> = readonly [A, ...Array<A>]

export class Secret extends Context.Service<Secret, {
  /** The keyed digest of a text with the current secret, prefixed with that secret's id. */
  readonly digest: (text: string) => string
  /** The digests of a text with each configured secret, the current one first, to find values of older secrets. */
  readonly digests: (text: string) => Some<string>
  /** One marker for each configured secret, the current one first. */
  readonly markers: Some<Marker>
  /** Encrypts a text (AES-256-GCM) with the current secret, prefixed with that secret's id. */
  readonly seal: (text: string) => string
  /** Decrypts a sealed text; throws `SecretUnusable` when no configured secret fits. */
  readonly open: (sealed: string) => string
}>()("@pulumi-vps/service/Secret") {}

/** Minimum length of a secret: 32 characters of hex are 128 bits. */
const MIN_LENGTH = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32
const OWNER_ONLY = 0o600

/** Hex digits of a mark: 64 bits. */
const MARK_LENGTH = 16

/** Hex digits of an id: 32 bits, enough to distinguish a few secrets. */
const ID_LENGTH = 8

/** Separates the id of a secret from the value made with it; not part of hex or base64. */
const SEPARATOR = ":"

/** Length of the prefix of a value: the id of its secret, and the separator. */
export const SECRET_HEAD_LENGTH = ID_LENGTH + SEPARATOR.length

/** The id of the secret with which a digest or a sealed text was made; undefined for versions without ids. */
export const secretIdOf = (stored: string): string | undefined =>
  stored.charAt(ID_LENGTH) === SEPARATOR ? stored.slice(0, ID_LENGTH) : undefined

const derive = (secret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, "", `pulumi-vps ${purpose}`, KEY_BYTES))

const makeOne = (secret: string) => {
  // A key object is prepared once; a raw key is validated at every use, which takes six times as long as the digest.
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
      } catch { // sealed with another secret, or corrupted
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
  const named = ({ digest, id }: One, text: string) => `${id}${SEPARATOR}${digest(text)}`
  return {
    digest: (text) => named(current, text),
    digests: (text) => {
      const [first, ...others] = [named(current, text), ...older.map((one) => named(one, text))] as const
      // Versions without ids stored the digest alone.
      return [first, ...others, ...[first, ...others].map((one) => one.slice(SECRET_HEAD_LENGTH))]
    },
    markers: all,
    seal: (text) => `${current.id}${SEPARATOR}${current.seal(text)}`,
    open: (sealed) => {
      const text = opened(all, sealed)
      if (text !== undefined) return text
      throw new SecretUnusable({ message: "VPS_SERVICE_SECRET is not the one under which this was sealed." })
    }
  }
}

/** The emulator's secret is fixed, so that its API key is the same after a restart and a reset. It protects nothing. */
const EMULATOR_SECRET = "emulator-secret-that-protects-nothing"

export interface SecretSource {
  /** `VPS_SERVICE_SECRET`, or empty. */
  readonly secret: string
  readonly emulator: boolean
  /** A file path, `:memory:`, or PostgreSQL's URL. */
  readonly database: string
}

/** The secrets of `VPS_SERVICE_SECRET`, the current one first. */
export const configuredSecrets = (setting: string): ReadonlyArray<string> =>
  setting.split(",").map((secret) => secret.trim())

/** The file of the secrets of a database file, one per line, the current one first. */
export const secretPath = (database: string): string => `${database}.secret`

/** A new secret. */
const generate = (): string => randomBytes(KEY_BYTES).toString("hex")

/** The secrets in a file. */
export const readSecrets = (path: string): ReadonlyArray<string> => {
  const lines = readFileSync(path, "utf8").split("\n").map((line) => line.trim()).filter((line) => line !== "")
  if (lines.length === 0) throw new SecretUnusable({ message: `${path} is empty. Restore the service's secret.` })
  return lines
}

/**
 * Replaces the secrets in a file atomically. They are on the disk when it returns, because a database is of little use
 * without its secret.
 */
const writeSecrets = (path: string, secrets: ReadonlyArray<string>): void => {
  const temporary = `${path}.new`
  rmSync(temporary, { force: true })
  writeFileSync(temporary, secrets.map((secret) => `${secret}\n`).join(""), {
    mode: OWNER_ONLY,
    flag: "wx",
    flush: true
  })
  try {
    inheritAccess(temporary, path)
    renameSync(temporary, path)
  } finally {
    rmSync(temporary, { force: true })
  }
  syncFolderOf(path)
}

/** Adds a new secret before those in a file, for the next start. Returns all ids, the new one first. */
export const rotate = (path: string): ReadonlyArray<string> => {
  const secrets = [generate(), ...readSecrets(path)]
  writeSecrets(path, secrets)
  return idsOf(secrets)
}

/** Removes all but the current secret from a file. Returns the ids of the removed ones. */
export const forget = (path: string): ReadonlyArray<string> => {
  const [current, ...older] = readSecrets(path)
  writeSecrets(path, [current!])
  return idsOf(older)
}

/** The ids of secrets, in the same order. */
export const idsOf = (secrets: ReadonlyArray<string>): ReadonlyArray<string> =>
  secrets.map((secret) => makeOne(secret).id)

const SHARED = "VPS_SERVICE_SECRET is not set. PostgreSQL requires it, with the same value for every replica. "
  + "Generate one with: openssl rand -hex 32"

/** The configured secrets. A new database file gets one beside it, readable by its owner only. */
export const load = ({ database, emulator, secret }: SecretSource): Secret["Service"] => {
  if (secret !== "") return make(configuredSecrets(secret))
  if (emulator) return make([EMULATOR_SECRET])
  const { file, isServer } = locate(database)
  if (isServer) throw new SecretUnusable({ message: SHARED })
  if (file === undefined) return make([generate()])
  const path = secretPath(file)
  if (!existsSync(path)) writeSecrets(path, [generate()])
  return make(readSecrets(path))
}

/** Checks the configured secrets without creating one; fails with `SecretUnusable`. */
export const check = (source: SecretSource): Effect.Effect<void, SecretUnusable> =>
  source.secret === "" && !locate(source.database).isServer
    ? Effect.void
    : Effect.asVoid(Effect.try({ try: () => load(source), catch: toUnusable }))

const toUnusable = (cause: unknown): SecretUnusable =>
  cause instanceof SecretUnusable ? cause : new SecretUnusable({ message: String(cause) })

/** Closes the secret's file to other users, and warns if it was open: they may have read it. */
const protect = Effect.fnUntraced(function*({ database }: SecretSource) {
  const path = secretPath(database)
  const wasOpen = yield* Effect.try({
    try: () => existsSync(path) && withdrawAccess(path),
    catch: (cause) =>
      new SecretUnusable({ message: `${path} is accessible to other users: ${String(cause)}. Run: chmod 600 ${path}` })
  })
  if (!wasOpen) return
  yield* Effect.logWarning(
    `${path} was accessible to other users, and no longer is. If one may have read it, replace the secret: `
      + "vps-service admin secret rotate."
  )
})

/** The configured secrets; fails with `SecretUnusable`. */
export const layer = (source: SecretSource): Layer.Layer<Secret, SecretUnusable> =>
  Layer.effect(
    Secret,
    Effect.andThen(
      source.secret === "" && !source.emulator ? protect(source) : Effect.void,
      Effect.try({ try: () => load(source), catch: toUnusable })
    )
  )
