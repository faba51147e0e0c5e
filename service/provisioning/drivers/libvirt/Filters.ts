/** The filters against foreign addresses, on a host. */
import * as Effect from "effect/Effect"
import { FILTER_XML, IPV6_FILTER, SOURCE_XML } from "./FilterXml.ts"
import { CODES } from "./rpc/Faults.ts"
import { PROCEDURES as CALLS } from "./rpc/Procedures.ts"
import type { Session } from "./Session.ts"
import { orElse } from "./Volumes.ts"

/** Defines the filters on a host that does not have them. Another process may be faster. */
export const ensureIpv6Filter = (session: Session) =>
  orElse(
    Effect.asVoid(session.call(CALLS.filterLookup, [IPV6_FILTER])),
    [CODES.NO_FILTER],
    Effect.forEach(
      [SOURCE_XML, FILTER_XML],
      (xml) => orElse(session.slow(CALLS.filterDefine, [xml]), [CODES.OPERATION_FAILED], Effect.void),
      { discard: true }
    )
  )
