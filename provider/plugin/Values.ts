/** Properties on the wire: what marks a secret, what stands for an unknown value, and back. */
import type { Struct } from "google-protobuf/google/protobuf/struct_pb.js"
import { type Properties, TIMEOUT, UNKNOWN } from "../definition/Properties.ts"
import { struct } from "./Proto.ts"

/** An object with this field is no object, but a value of the kind that the field names. */
const SIGNATURE = "4dabf18193072939515e22adb298388d"
const SECRET = "1b47061264138c4ac30d75fd1eb44270"
/** A value with its dependencies; we ask the engine not to send these, but another sender may. */
const OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4"

/** The engine has a placeholder for each kind of value; to us they are all one. */
const PLACEHOLDERS: ReadonlySet<unknown> = new Set([
  UNKNOWN,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff"
])

/** What a resource of the dynamic provider has among its properties, and no plugin has use for. */
const DYNAMIC_ONLY = "__provider"

export interface Decoded {
  /** Without any marks: what the lifecycles work with. */
  readonly plain: Properties
  /** Names of the properties that are, or hold, a secret. */
  readonly secrets: ReadonlySet<string>
  /** The texts among them, wherever they stand. */
  readonly texts: ReadonlySet<string>
}

type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields => value !== null && typeof value === "object"

/** The value without marks; `found` is told every secret. */
const unwrapSecrets = (value: unknown, found: (secret: unknown) => void): unknown => {
  if (PLACEHOLDERS.has(value)) return UNKNOWN
  if (Array.isArray(value)) return value.map((inner) => unwrapSecrets(inner, found))
  if (!isObject(value)) return value
  if (value[SIGNATURE] === SECRET || (value[SIGNATURE] === OUTPUT && value["secret"] === true)) {
    const inner = "value" in value ? unwrapSecrets(value["value"], found) : UNKNOWN
    found(inner)
    return inner
  }
  if (value[SIGNATURE] === OUTPUT) return "value" in value ? unwrapSecrets(value["value"], found) : UNKNOWN
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, unwrapSecrets(inner, found)]))
}

/** A message's properties; an absent message holds none. */
export const decode = (message: Struct | undefined): Decoded => {
  const secrets = new Set<string>()
  const texts = new Set<string>()
  const all = Object.entries((message?.toJavaScript() ?? {}) as Fields).filter(([name]) => name !== DYNAMIC_ONLY)
  const plain = Object.fromEntries(all.map(([name, value]) => [
    name,
    unwrapSecrets(value, (secret) => {
      secrets.add(name)
      if (typeof secret === "string" && secret !== "" && secret !== UNKNOWN) texts.add(secret)
    })
  ]))
  return { plain, secrets, texts }
}

/** What is to be secret of the properties that go out. */
export interface Secrecy {
  readonly names: ReadonlySet<string>
  /** A text that came in as a secret goes out as one under whatever name: a key that waits stands under another. */
  readonly texts: ReadonlySet<string>
}

/** Secret is what always is, and what was secret in anything that came in. */
export const secrecyOf = (always: ReadonlyArray<string>, ...received: ReadonlyArray<Decoded>): Secrecy => ({
  names: new Set([...always, ...received.flatMap(({ secrets }) => [...secrets])]),
  texts: new Set(received.flatMap(({ texts }) => [...texts]))
})

/** A placeholder must not be marked: the engine would take it for a text. */
const markSecret = (value: unknown): unknown =>
  value === UNKNOWN || value === null ? value : { [SIGNATURE]: SECRET, value }

/** What each request says anew stands in no state: the engine writes the whole state after each step. */
const TRANSIENT: ReadonlySet<string> = new Set([TIMEOUT, "__urn", "__declared"])

/** Properties as a message; undefined ones are left out, at any depth. `stays`: what the state has already. */
export const encode = (properties: Properties, { names, texts }: Secrecy, stays: Properties = {}): Struct => {
  const plain = JSON.parse(JSON.stringify(properties)) as Fields
  const stored = Object.entries(plain).filter(([name]) => !TRANSIENT.has(name) || name in stays)
  const entries = stored.map(([name, value]): [string, unknown] => [
    name,
    names.has(name) || (typeof value === "string" && texts.has(value)) ? markSecret(value) : value
  ])
  return struct.Struct.fromJavaScript(Object.fromEntries(entries) as never)
}

export const NO_SECRETS: Secrecy = { names: new Set(), texts: new Set() }
