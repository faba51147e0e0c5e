/** The counters of machines, read from libvirt's reply without the 60 other values of each machine. */
import { domain } from "./Types.ts"
import { type Codec, double, hyper, int, type Reader, string, uhyper, uint } from "./Xdr.ts"

export interface Counters {
  /** The machine's tag. */
  readonly name: string
  /** Another one after each start, also of QEMU on another host: then all counters begin at 0. */
  readonly id: number
  readonly cpuNanos: number
  /** Of the memory in KiB, by libvirt's name: what the guest's balloon driver reports, or QEMU's own. */
  readonly memory: Readonly<Record<string, number>>
  readonly rxBytes: number
  readonly txBytes: number
  readonly readBytes: number
  readonly writeBytes: number
}

/** The groups of values in the reply. */
const STATS = { cpu: 2, balloon: 4, interface: 16, block: 32 } as const
export const STATS_MASK = STATS.cpu + STATS.balloon + STATS.interface + STATS.block

/** Only running machines. */
const ACTIVE = 1
/** A machine that is frozen or busy has fewer values, and delays no other one. */
const NOWAIT = 2 ** 29
export const STATS_FLAGS = ACTIVE + NOWAIT

const VALUES: ReadonlyArray<Codec<number>> = [int, uint, hyper, uhyper, double, int]

/** The value of a parameter, which is of the type that precedes it; a text is 0. */
const readValue = (reader: Reader): number => {
  const codec = VALUES[uint.read(reader) - 1]
  if (codec !== undefined) return codec.read(reader)
  string.read(reader)
  return 0
}

const readCounters = (reader: Reader): Counters => {
  const { id, name } = domain.read(reader)
  const memory: Record<string, number> = {}
  let [cpuNanos, rxBytes, txBytes, readBytes, writeBytes] = [0, 0, 0, 0, 0]
  for (let left = reader.count(); left > 0; left--) {
    const parameter = string.read(reader)
    const value = readValue(reader)
    if (parameter === "cpu.time") cpuNanos = value
    else if (parameter.startsWith("balloon.")) memory[parameter] = value
    else if (parameter.endsWith(".rx.bytes")) rxBytes += value
    else if (parameter.endsWith(".tx.bytes")) txBytes += value
    else if (parameter.endsWith(".rd.bytes")) readBytes += value
    else if (parameter.endsWith(".wr.bytes")) writeBytes += value
  }
  return { name, id, cpuNanos, memory, rxBytes, txBytes, readBytes, writeBytes }
}

/** Only read: the daemon writes it. */
export const counters: Codec<Counters> = {
  write: () => {
    throw new Error("counters are only read")
  },
  read: readCounters
}
