/** A client of VNC servers (RFB 3.8, RFC 6143), as far as tests need one. */
import { createCipheriv } from "node:crypto"
import { connect, type NetConnectOpts, type Socket } from "node:net"
import { setTimeout } from "node:timers/promises"

const VERSION = "RFB 003.008\n"
const VNC_AUTHENTICATION = 2
const CHALLENGE_BYTES = 16

/** The next bytes that the server sends. */
const read = async (socket: Socket, bytes: number): Promise<Buffer> => {
  for (;;) {
    const data: Buffer | null = socket.read(bytes)
    if (data !== null) return data
    if (socket.readableEnded || socket.destroyed) throw new Error(`the server sent less than ${bytes} bytes`)
    await setTimeout(5)
  }
}

/** The first line of the server at a Unix socket. */
export const greetingAt = async (path: string): Promise<string> => {
  const socket = connect(path)
  try {
    return (await read(socket, VERSION.length)).toString()
  } finally {
    socket.destroy()
  }
}

const mirrored = (byte: number): number =>
  Number.parseInt(byte.toString(2).padStart(8, "0").split("").toReversed().join(""), 2)

/** DES with a key whose bits are reversed. Triple DES with three equal keys is DES. */
const answer = (challenge: Buffer, password: string): Buffer => {
  const key = Buffer.from(Buffer.from(password.padEnd(8, "\0")).map(mirrored))
  const cipher = createCipheriv("des-ede3-ecb", Buffer.concat([key, key, key]), null).setAutoPadding(false)
  return Buffer.concat([cipher.update(challenge), cipher.final()])
}

/** True if the server accepts a password; it must require one. */
export const accepts = async (target: NetConnectOpts, password: string): Promise<boolean> => {
  const socket = connect(target)
  try {
    await read(socket, VERSION.length)
    socket.write(VERSION)
    const types = [...await read(socket, (await read(socket, 1))[0]!)]
    if (types.length !== 1 || types[0] !== VNC_AUTHENTICATION) throw new Error(`security types ${types.join()}`)
    socket.write(Buffer.from([VNC_AUTHENTICATION]))
    socket.write(answer(await read(socket, CHALLENGE_BYTES), password))
    return (await read(socket, 4)).readUInt32BE() === 0
  } finally {
    socket.destroy()
  }
}
