/** XDR (RFC 4506), the encoding of libvirt's protocol. A codec writes and reads the values of one type. */

/** A value that cannot be read, because the data is shorter than its type requires. */
export class Malformed extends Error {
  override readonly name = "Malformed"
}

/** Everything is aligned to this many bytes. */
const UNIT = 4

const padding = (length: number): number => (UNIT - length % UNIT) % UNIT

export class Writer {
  private readonly parts: Array<Buffer> = []

  add(part: Buffer): void {
    this.parts.push(part)
  }

  /** A number of bytes, which `write` fills. */
  fixed(length: number, write: (buffer: Buffer) => unknown): void {
    const buffer = Buffer.alloc(length)
    write(buffer)
    this.parts.push(buffer)
  }

  opaque(bytes: Buffer): void {
    this.fixed(UNIT, (buffer) => buffer.writeUInt32BE(bytes.length))
    this.parts.push(bytes, Buffer.alloc(padding(bytes.length)))
  }

  bytes(): Buffer {
    return Buffer.concat(this.parts)
  }
}

export class Reader {
  private at = 0
  private readonly buffer: Buffer

  constructor(buffer: Buffer) {
    this.buffer = buffer
  }

  /** The next bytes. */
  take(length: number): Buffer {
    const end = this.at + length
    if (end > this.buffer.length) throw new Malformed(`${length} bytes expected, ${this.buffer.length - this.at} left`)
    const taken = this.buffer.subarray(this.at, end)
    this.at = end
    return taken
  }

  opaque(): Buffer {
    const length = this.take(UNIT).readUInt32BE()
    const bytes = this.take(length)
    this.take(padding(length))
    return bytes
  }

  /** The number of elements that follow. Each has at least one unit, so a larger number is not allocated. */
  count(): number {
    const count = this.take(UNIT).readUInt32BE()
    if (count * UNIT > this.buffer.length - this.at) throw new Malformed(`${count} elements do not fit`)
    return count
  }
}

export interface Codec<A> {
  readonly write: (writer: Writer, value: A) => void
  readonly read: (reader: Reader) => A
}

const HYPER = 2 * UNIT

export const int: Codec<number> = {
  write: (writer, value) => writer.fixed(UNIT, (buffer) => buffer.writeInt32BE(value)),
  read: (reader) => reader.take(UNIT).readInt32BE()
}

export const uint: Codec<number> = {
  write: (writer, value) => writer.fixed(UNIT, (buffer) => buffer.writeUInt32BE(value)),
  read: (reader) => reader.take(UNIT).readUInt32BE()
}

/** 64 bits. Numbers beyond 2^53 lose precision, which no size or counter of a host reaches. */
export const hyper: Codec<number> = {
  write: (writer, value) => writer.fixed(HYPER, (buffer) => buffer.writeBigInt64BE(BigInt(value))),
  read: (reader) => Number(reader.take(HYPER).readBigInt64BE())
}

export const uhyper: Codec<number> = {
  write: (writer, value) => writer.fixed(HYPER, (buffer) => buffer.writeBigUInt64BE(BigInt(value))),
  read: (reader) => Number(reader.take(HYPER).readBigUInt64BE())
}

export const double: Codec<number> = {
  write: (writer, value) => writer.fixed(HYPER, (buffer) => buffer.writeDoubleBE(value)),
  read: (reader) => reader.take(HYPER).readDoubleBE()
}

export const opaque: Codec<Buffer> = {
  write: (writer, value) => writer.opaque(value),
  read: (reader) => reader.opaque()
}

export const string: Codec<string> = {
  write: (writer, value) => writer.opaque(Buffer.from(value)),
  read: (reader) => reader.opaque().toString()
}

const UUID_BYTES = 16

export const uuid: Codec<string> = {
  write: (writer, value) => writer.add(Buffer.from(value.replaceAll("-", ""), "hex")),
  read: (reader) => reader.take(UUID_BYTES).toString("hex").replace(/(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
}

/** No data at all. */
export const nothing: Codec<void> = { write: () => {}, read: () => {} }

/** A value that may be absent. */
export const optional = <A>({ read, write }: Codec<A>): Codec<A | null> => ({
  write: (writer, value) => {
    uint.write(writer, value === null ? 0 : 1)
    if (value !== null) write(writer, value)
  },
  read: (reader) => uint.read(reader) === 0 ? null : read(reader)
})

export const array = <A>({ read, write }: Codec<A>): Codec<ReadonlyArray<A>> => ({
  write: (writer, values) => {
    uint.write(writer, values.length)
    for (const value of values) write(writer, value)
  },
  read: (reader) => Array.from({ length: reader.count() }, () => read(reader))
})

/** An array whose length is part of its type. */
export const vector = <A>({ read, write }: Codec<A>, length: number): Codec<ReadonlyArray<A>> => ({
  write: (writer, values) => {
    for (const value of values) write(writer, value)
  },
  read: (reader) => Array.from({ length }, () => read(reader))
})

type CodecsOf<Values extends object> = { readonly [K in keyof Values]: Codec<Values[K]> }

export const struct = <A extends object>(fields: CodecsOf<A>): Codec<A> => {
  const entries = Object.entries(fields) as unknown as ReadonlyArray<[keyof A, Codec<unknown>]>
  return {
    write: (writer, value) => {
      for (const [name, { write }] of entries) write(writer, value[name])
    },
    read: (reader) => Object.fromEntries(entries.map(([name, { read }]) => [name, read(reader)])) as A
  }
}

/** Values one after another: the arguments of a procedure, or a result of several values. */
export const tuple = <const Values extends ReadonlyArray<unknown>>(
  ...codecs: { readonly [K in keyof Values]: Codec<Values[K]> }
): Codec<Values> => {
  const all = codecs as unknown as ReadonlyArray<Codec<unknown>>
  return {
    write: (writer, values) => {
      for (const [index, { write }] of all.entries()) write(writer, values[index])
    },
    read: (reader) => all.map(({ read }) => read(reader)) as unknown as Values
  }
}

export const encode = <A>({ write }: Pick<Codec<A>, "write">, value: A): Buffer => {
  const writer = new Writer()
  write(writer, value)
  return writer.bytes()
}

export const decode = <A>({ read }: Pick<Codec<A>, "read">, bytes: Buffer): A => read(new Reader(bytes))
