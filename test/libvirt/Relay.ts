/** A socket before libvirt's daemon, which does something before or after a certain call passes. */
import { rmSync } from "node:fs"
import { connect, createServer, type Socket } from "node:net"
import { packetReader, toBytes, TYPE } from "#service/provisioning/drivers/libvirt/rpc/Packets"
import { PROCEDURES } from "#service/provisioning/drivers/libvirt/rpc/Procedures"

const { agent, ...OTHERS } = PROCEDURES

/** The calls that change something, by number: the steps of an operation. */
const STEPS = new Map(
  (
    [
      "define",
      "create",
      "destroy",
      "shutdown",
      "undefine",
      "updateDevice",
      "setPassword",
      "backupBegin",
      "volumeCreate",
      "volumeCopy",
      "volumeDelete",
      "volumeResize",
      "volumeUpload"
    ] as const
  ).map((name) => [OTHERS[name].number, name])
)

/** A machine that boots is started by every poll, and how often it is polled depends on timing. */
const isPoll = (name: string, previous: string | undefined): boolean => name === "create" && previous === "create"

/** Acts once, at a step, which passes before or after that, or never. */
export interface Trap {
  /** Counted from 1. */
  readonly step: number
  readonly passes: "before" | "after" | "never"
  readonly act: () => void
}

export class Relay {
  readonly path: string
  /** The steps that have passed, by name. */
  readonly passed: Array<string> = []
  trap: Trap | undefined
  readonly #sockets = new Set<Socket>()
  readonly #server

  constructor(path: string, daemon: string) {
    this.path = path
    this.#server = createServer((client) => this.#join(client, connect(daemon)))
    this.#server.listen(path)
  }

  #join(client: Socket, daemon: Socket): void {
    const end = () => {
      client.destroy()
      daemon.destroy()
    }
    for (const socket of [client, daemon]) {
      this.#sockets.add(socket)
      socket.on("error", end).on("close", end)
    }
    daemon.pipe(client)
    const read = packetReader((packet) => {
      const name = packet.type === TYPE.call && packet.program !== agent.program
        ? STEPS.get(packet.procedure)
        : undefined
      const bytes = toBytes(packet, packet.body)
      if (name === undefined || isPoll(name, this.passed.at(-1))) return void daemon.write(bytes)
      this.passed.push(name)
      const { trap } = this
      if (trap === undefined || this.passed.length !== trap.step) return void daemon.write(bytes)
      this.trap = undefined
      if (trap.passes === "before") daemon.write(bytes)
      trap.act()
      if (trap.passes === "after") daemon.write(bytes)
    })
    client.on("data", (data: Buffer) => void read(data))
  }

  /** Counts from here on. */
  reset(): void {
    this.passed.length = 0
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    rmSync(this.path, { force: true })
  }
}
