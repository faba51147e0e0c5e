/** The bridge of a host, as libvirt's interface driver knows it. */
import * as Effect from "effect/Effect"
import { CODES } from "./rpc/Faults.ts"
import { PROCEDURES as CALLS } from "./rpc/Procedures.ts"
import type { CallFault, HostConnection } from "./HostConnection.ts"
import { orElse } from "./Volumes.ts"

const MTU = /<mtu size='(\d+)'/

/** Null for a bridge whose MTU is not known: a daemon may have no interface driver. */
export const mtuOf = (connection: HostConnection, bridge: string): Effect.Effect<number | null, CallFault> =>
  connection.call(CALLS.interfaceLookup, [bridge]).pipe(
    Effect.flatMap((found) => connection.call(CALLS.interfaceXml, [found, 0])),
    Effect.map((xml) => {
      const size = MTU.exec(xml)?.[1]
      return size === undefined ? null : Number(size)
    }),
    (read) => orElse(read, [CODES.NO_SUPPORT, CODES.NO_INTERFACE, CODES.INTERNAL], Effect.succeed(null))
  )
