/**
 * Protocol buffers from a table of fields, in place of generated classes. As in every implementation of the format,
 * fields that the table does not have are skipped: they belong to a newer version of the protocol.
 */

/** A scalar, a message by its name, a list of either, or a map from strings to either. */
type Kind = string | readonly [kind: string] | { readonly map: string }

/** By name: the number of the field, and its kind. */
type Fields = Readonly<Record<string, readonly [number: number, kind: Kind]>>

export type Tables = Readonly<Record<string, Fields>>

interface Scalars {
  readonly string: string
  readonly bytes: Uint8Array
  readonly bool: boolean
  /** An enumeration, or an integer from 0 to 2^53 - 1. */
  readonly int: number
}

type Value<T extends Tables, K> = K extends keyof Scalars ? Scalars[K]
  : K extends readonly [infer One] ? ReadonlyArray<Value<T, One>>
  : K extends { readonly map: infer One } ? Readonly<Record<string, Value<T, One>>>
  : K extends keyof T ? MessageOf<T, K>
  : never

/** A message of the table: every field may be absent, an empty list and an empty map always are. */
export type MessageOf<T extends Tables, Name extends keyof T> = {
  readonly [Field in keyof T[Name]]?: Value<T, T[Name][Field][1]> | undefined
}

export interface Codec<T extends Tables> {
  readonly encode: <Name extends keyof T & string>(name: Name, message: MessageOf<T, Name>) => Buffer
  /** @throws RangeError for bytes that are not a message. */
  readonly decode: <Name extends keyof T & string>(name: Name, bytes: Uint8Array) => MessageOf<T, Name>
}

export const codec = <const T extends Tables>(tables: T): Codec<T> => ({
  encode: (name, message) => encode(tables, name, message as Untyped),
  // The table decides the type, which the compiler cannot follow.
  decode: (name, bytes) => decode(tables, name, new Reader(bytes)) as MessageOf<T, typeof name>
})

type Untyped = Readonly<Record<string, unknown>>

const VARINT = 0
const FIXED_64 = 1
const LENGTH_DELIMITED = 2
const FIXED_32 = 5

const fieldsOf = (tables: Tables, name: string): Fields => {
  const fields = tables[name]
  if (fields === undefined) throw new RangeError(`no table for the message ${name}`)
  return fields
}

const varint = (value: number): Buffer => {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is not an integer of 0 or more`)
  const bytes: Array<number> = []
  let rest = value
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  return Buffer.from([...bytes, rest])
}

const tag = (number: number, wire: number): Buffer => varint(number * 8 + wire)

const delimited = (number: number, body: Uint8Array): Buffer =>
  Buffer.concat([tag(number, LENGTH_DELIMITED), varint(body.length), body])

const encode = (tables: Tables, name: string, message: Untyped): Buffer =>
  Buffer.concat(
    Object.entries(fieldsOf(tables, name)).flatMap(([field, [number, kind]]) => {
      const value = message[field]
      return value === undefined ? [] : encodeField(tables, number, kind, value)
    })
  )

const isMap = (kind: Kind): kind is { readonly map: string } => typeof kind === "object" && !Array.isArray(kind)

const encodeField = (tables: Tables, number: number, kind: Kind, value: unknown): ReadonlyArray<Buffer> => {
  if (typeof kind === "string") return [encodeOne(tables, number, kind, value)]
  if (!isMap(kind)) return (value as ReadonlyArray<unknown>).map((one) => encodeOne(tables, number, kind[0], one))
  return Object.entries(value as Untyped).map(([key, one]) =>
    delimited(number, Buffer.concat([encodeOne(tables, 1, "string", key), encodeOne(tables, 2, kind.map, one)]))
  )
}

const encodeOne = (tables: Tables, number: number, kind: string, value: unknown): Buffer => {
  if (kind === "bool" || kind === "int") return Buffer.concat([tag(number, VARINT), varint(Number(value))])
  if (kind === "string") return delimited(number, Buffer.from(value as string))
  return delimited(number, kind === "bytes" ? value as Uint8Array : encode(tables, kind, value as Untyped))
}

class Reader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  varint(): number {
    let value = 0
    for (let factor = 1;; factor *= 0x80) {
      const [byte = 0] = this.take(1)
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value
    }
  }

  take(length: number): Uint8Array {
    if (length > this.#bytes.length - this.#at) throw new RangeError("the message is truncated")
    return this.#bytes.subarray(this.#at, this.#at += length)
  }

  /** A number, or the bytes of anything longer. */
  value(wire: number): number | Uint8Array {
    if (wire === VARINT) return this.varint()
    if (wire === LENGTH_DELIMITED) return this.take(this.varint())
    if (wire === FIXED_64) return this.take(8)
    if (wire === FIXED_32) return this.take(4)
    throw new RangeError(`wire type ${wire} is not supported`)
  }
}

const decode = (tables: Tables, name: string, reader: Reader): Untyped => {
  const byNumber = new Map(
    Object.entries(fieldsOf(tables, name)).map(([field, [number, kind]]) => [
      number,
      { field, kind }
    ])
  )
  const message: Record<string, unknown> = {}
  while (!reader.isAtEnd) {
    const next = reader.varint()
    const raw = reader.value(next % 8)
    const known = byNumber.get(Math.floor(next / 8))
    if (known !== undefined) message[known.field] = merge(tables, known.kind, message[known.field], raw)
  }
  return message
}

/** The value of a field with another occurrence of it. */
const merge = (tables: Tables, kind: Kind, before: unknown, raw: number | Uint8Array): unknown => {
  if (typeof kind === "string") return decodeOne(tables, kind, raw)
  if (!isMap(kind)) return [...(before as ReadonlyArray<unknown> ?? []), decodeOne(tables, kind[0], raw)]
  const entry = decode({ ...tables, entry: { key: [1, "string"], value: [2, kind.map] } }, "entry", readerOf(raw))
  // Absent parts have their default.
  const { key = "", value = decodeOne(tables, kind.map, defaultOf(kind.map)) } = entry
  return { ...before as Untyped | undefined, [String(key)]: value }
}

const defaultOf = (kind: string): number | Uint8Array => kind === "bool" || kind === "int" ? 0 : new Uint8Array()

const readerOf = (raw: number | Uint8Array): Reader => {
  if (typeof raw === "number") throw new RangeError("expected a message, got a number")
  return new Reader(raw)
}

const decodeOne = (tables: Tables, kind: string, raw: number | Uint8Array): unknown => {
  if (kind === "bool" || kind === "int") {
    if (typeof raw !== "number") throw new RangeError("expected a number, got bytes")
    return kind === "bool" ? raw !== 0 : raw
  }
  if (typeof raw === "number") throw new RangeError("expected bytes, got a number")
  if (kind === "bytes") return raw
  return kind === "string" ? Buffer.from(raw).toString() : decode(tables, kind, new Reader(raw))
}
