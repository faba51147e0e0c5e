/** The filters against foreign addresses, on a host. */
import * as Effect from "effect/Effect"
import { FILTERS, IPV4_FILTER } from "./FilterXml.ts"
import { CODES } from "./rpc/Faults.ts"
import { PROCEDURES as CALLS } from "./rpc/Procedures.ts"
import type { HostConnection } from "./HostConnection.ts"
import { orElse } from "./Volumes.ts"

/** Defines the filters on a host that does not have the last of them. Another process may be faster. */
export const ensureFilters = (connection: HostConnection) =>
  orElse(
    Effect.asVoid(connection.call(CALLS.filterLookup, [IPV4_FILTER])),
    [CODES.NO_FILTER],
    Effect.forEach(
      FILTERS,
      (xml) => orElse(connection.slow(CALLS.filterDefine, [xml]), [CODES.OPERATION_FAILED], Effect.void),
      { discard: true }
    )
  )
