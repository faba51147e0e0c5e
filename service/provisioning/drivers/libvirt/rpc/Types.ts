/** The structures of libvirt's protocol that this driver exchanges, from `remote_protocol.x`. */
import {
  array,
  type Codec,
  double,
  hyper,
  int,
  optional,
  type Reader,
  string,
  struct,
  uhyper,
  uint,
  uuid,
  type Writer
} from "./Xdr.ts"

export interface Domain {
  readonly name: string
  readonly uuid: string
  /** -1 while it does not run. */
  readonly id: number
}

export interface Pool {
  readonly name: string
  readonly uuid: string
}

export interface Volume {
  readonly pool: string
  readonly name: string
  /** The path of its file. */
  readonly key: string
}

export interface Interface {
  readonly name: string
  readonly mac: string
}

/** A filter on a port of a bridge. */
export interface FilterBinding {
  readonly port: string
  readonly filter: string
}

export interface Snapshot {
  readonly name: string
  readonly domain: Domain
}

/** A typed parameter: libvirt names the value, and its type goes with it. */
export interface Parameter {
  readonly name: string
  readonly value: number | string
}

/** The reply to a failed call. */
export interface Fault {
  readonly code: number
  readonly source: number
  readonly message: string | null
  readonly level: number
  readonly domain: Domain | null
  readonly detail1: string | null
  readonly detail2: string | null
  readonly detail3: string | null
  readonly number1: number
  readonly number2: number
  readonly network: Pool | null
}

export const domain: Codec<Domain> = struct({ name: string, uuid, id: int })
export const pool: Codec<Pool> = struct({ name: string, uuid })
export const volume: Codec<Volume> = struct({ pool: string, name: string, key: string })
export const networkInterface: Codec<Interface> = struct({ name: string, mac: string })
export const filterBinding: Codec<FilterBinding> = struct({ port: string, filter: string })
export const snapshot: Codec<Snapshot> = struct({ name: string, domain })

/** By `virTypedParameterType`, from 1 on; the sixth is a boolean. */
const PARAMETER_VALUES: ReadonlyArray<Codec<number>> = [int, uint, hyper, uhyper, double, int]
const STRING = PARAMETER_VALUES.length + 1
const UNSIGNED_LONG = 4

const parameter: Codec<Parameter> = {
  write: (writer: Writer, { name, value }) => {
    string.write(writer, name)
    uint.write(writer, typeof value === "string" ? STRING : UNSIGNED_LONG)
    if (typeof value === "string") string.write(writer, value)
    else uhyper.write(writer, value)
  },
  read: (reader: Reader) => {
    const name = string.read(reader)
    const type = uint.read(reader)
    return { name, value: (PARAMETER_VALUES[type - 1] ?? string).read(reader) }
  }
}

export const parameters: Codec<ReadonlyArray<Parameter>> = array(parameter)

export const fault: Codec<Fault> = struct({
  code: int,
  source: int,
  message: optional(string),
  level: int,
  domain: optional(domain),
  detail1: optional(string),
  detail2: optional(string),
  detail3: optional(string),
  number1: int,
  number2: int,
  network: optional(pool)
})

/** Counters of a machine's CPU, memory, network and disks. */
export interface DomainStats {
  readonly domain: Domain
  readonly parameters: ReadonlyArray<Parameter>
}

export const domainStats: Codec<DomainStats> = struct({ domain, parameters })
