/** The interface to the name server that holds the PTR records of machines' addresses. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Fault } from "../Driver.ts"

/** Every operation can be repeated. An address that is in no zone of the server is `Rejected`. */
export class ReverseDns extends Context.Service<ReverseDns, {
  /** The target of an address's record, without the last dot; undefined if there is none. */
  readonly find: (ip: string) => Effect.Effect<string | undefined, Fault>
  /** Replaces the record of an address. */
  readonly set: (ip: string, target: string) => Effect.Effect<void, Fault>
  /** Deletes the record of an address; succeeds if there is none. */
  readonly remove: (ip: string) => Effect.Effect<void, Fault>
}>()("pulumi-vps/service/ReverseDns") {}
