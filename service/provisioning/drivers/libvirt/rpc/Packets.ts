/** The packets of libvirt's protocol: a length, a header of six words, and a body. */

export const TYPE = { call: 0, reply: 1, message: 2, stream: 3 } as const
export const STATUS = { ok: 0, error: 1, continue: 2 } as const

export interface Header {
  readonly program: number
  readonly procedure: number
  readonly type: number
  readonly serial: number
  readonly status: number
}

export interface Packet extends Header {
  readonly body: Buffer
}

const WORD = 4
const HEADER_BYTES = 7 * WORD
/** libvirt's own bound of a packet. */
const PACKET_BYTES_MAX = 33_554_432
const VERSION = 1

export const toBytes = ({ procedure, program, serial, status, type }: Header, body: Buffer): Buffer => {
  const bytes = Buffer.alloc(HEADER_BYTES + body.length)
  const words = [bytes.length, program, VERSION, procedure, type, serial, status]
  for (const [index, word] of words.entries()) bytes.writeUInt32BE(word >>> 0, WORD * index)
  body.copy(bytes, HEADER_BYTES)
  return bytes
}

const parse = (bytes: Buffer): Packet => {
  const word = (index: number) => bytes.readUInt32BE(WORD * index)
  return {
    program: word(1),
    procedure: word(3),
    type: word(4),
    serial: word(5),
    status: word(6),
    body: bytes.subarray(HEADER_BYTES)
  }
}

/** Splits received data into packets. Returns false for data that is not of this protocol. */
export const packetReader = (onPacket: (packet: Packet) => void): (data: Buffer) => boolean => {
  let received: Array<Buffer> = []
  let length = 0
  /** Bytes that must arrive before another packet can be read: a large one is joined once, not with every part. */
  let required = WORD
  return (data) => {
    received.push(data)
    length += data.length
    if (length < required) return true
    let rest = received.length === 1 ? data : Buffer.concat(received)
    required = WORD
    while (rest.length >= WORD) {
      const size = rest.readUInt32BE()
      if (size < HEADER_BYTES || size > PACKET_BYTES_MAX) return false
      if (rest.length < size) {
        required = size
        break
      }
      const packet = parse(rest.subarray(0, size))
      rest = rest.subarray(size)
      onPacket(packet)
    }
    received = rest.length === 0 ? [] : [rest]
    length = rest.length
    return true
  }
}
