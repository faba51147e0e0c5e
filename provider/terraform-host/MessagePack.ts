/** MessagePack, in which the engine writes values. An extension of any type is a value that is not known yet. */
import { UNKNOWN } from "../definition/Properties.ts"

const NIL = Buffer.from([0xc0])
const UNKNOWN_VALUE = Buffer.from([0xd4, 0, 0])
const FALSE = Buffer.from([0xc2])
const TRUE = Buffer.from([0xc3])

const INT_64 = 0xd3
const STRING_32 = 0xdb
const ARRAY_32 = 0xdd
const MAP_32 = 0xdf

const head = (code: number, length: number): Buffer => {
  const bytes = Buffer.alloc(5)
  bytes[0] = code
  bytes.writeUInt32BE(length, 1)
  return bytes
}

/** JSON values, and `UNKNOWN` for an unknown one. @throws RangeError for a number that is not finite. */
export const encode = (value: unknown): Buffer => {
  if (value === null || value === undefined) return NIL
  if (value === UNKNOWN) return UNKNOWN_VALUE
  if (typeof value === "boolean") return value ? TRUE : FALSE
  if (typeof value === "number") return encodeNumber(value)
  if (typeof value === "string") {
    const body = Buffer.from(value)
    return Buffer.concat([head(STRING_32, body.length), body])
  }
  if (Array.isArray(value)) return Buffer.concat([head(ARRAY_32, value.length), ...value.map(encode)])
  const entries = Object.entries(value)
  return Buffer.concat([head(MAP_32, entries.length), ...entries.flatMap(([key, one]) => [encode(key), encode(one)])])
}

const encodeNumber = (value: number): Buffer => {
  if (!Number.isFinite(value)) throw new RangeError(`${value} is not a finite number`)
  // The engine computes in decimals: as text, 4.99 is the number that was meant; as a float it would be another one.
  if (!Number.isSafeInteger(value)) return encode(String(value))
  const bytes = Buffer.alloc(9)
  bytes[0] = INT_64
  bytes.writeBigInt64BE(BigInt(value), 1)
  return bytes
}

/** @throws RangeError for bytes that are not one value. */
export const decode = (bytes: Uint8Array): unknown => {
  const decoder = new Decoder(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  const value = decoder.value()
  if (!decoder.isAtEnd) throw new RangeError("bytes follow the value")
  return value
}

class Decoder {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  value(): unknown {
    const code = this.#uint(1)
    if (code < 0x80) return code
    if (code < 0x90) return this.#map(code & 0xf)
    if (code < 0xa0) return this.#array(code & 0xf)
    if (code < 0xc0) return this.#text(code & 0x1f)
    if (code >= 0xe0) return code - 0x100
    return this.#coded(code)
  }

  /** A code that is followed by a length, or by a value of fixed size. */
  #coded(code: number): unknown {
    if (code === 0xc0) return null
    if (code === 0xc2 || code === 0xc3) return code === 0xc3
    if (code >= 0xc4 && code <= 0xc6) return this.#take(this.#uint(1 << (code - 0xc4)))
    if (code >= 0xc7 && code <= 0xc9) return this.#extension(this.#uint(1 << (code - 0xc7)))
    if (code === 0xca) return this.#take(4).readFloatBE()
    if (code === 0xcb) return this.#take(8).readDoubleBE()
    if (code >= 0xcc && code <= 0xce) return this.#uint(1 << (code - 0xcc))
    if (code === 0xcf) return Number(this.#take(8).readBigUInt64BE())
    if (code >= 0xd0 && code <= 0xd2) return this.#int(1 << (code - 0xd0))
    if (code === 0xd3) return Number(this.#take(8).readBigInt64BE())
    if (code >= 0xd4 && code <= 0xd8) return this.#extension(1 << (code - 0xd4))
    if (code >= 0xd9 && code <= 0xdb) return this.#text(this.#uint(1 << (code - 0xd9)))
    if (code === 0xdc || code === 0xdd) return this.#array(this.#uint(2 << (code - 0xdc)))
    if (code === 0xde || code === 0xdf) return this.#map(this.#uint(2 << (code - 0xde)))
    throw new RangeError(`${code} begins no value of MessagePack`)
  }

  #take(length: number): Buffer {
    if (length > this.#bytes.length - this.#at) throw new RangeError("the value is truncated")
    return this.#bytes.subarray(this.#at, this.#at += length)
  }

  #uint(length: number): number {
    return this.#take(length).readUIntBE(0, length)
  }

  #int(length: number): number {
    return this.#take(length).readIntBE(0, length)
  }

  #text(length: number): string {
    return this.#take(length).toString()
  }

  /** Its type is one byte. The engine may add what it knows of the value, such as its prefix. */
  #extension(length: number): string {
    this.#take(length + 1)
    return UNKNOWN
  }

  #array(length: number): ReadonlyArray<unknown> {
    const items: Array<unknown> = []
    for (let at = 0; at < length; at++) items.push(this.value())
    return items
  }

  #map(length: number): Readonly<Record<string, unknown>> {
    const entries: Array<readonly [string, unknown]> = []
    for (let at = 0; at < length; at++) entries.push([String(this.value()), this.value()])
    return Object.fromEntries(entries)
  }
}
