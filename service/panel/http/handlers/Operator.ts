/** Operators' commands, and what the panel shows of all accounts. */
import * as Effect from "effect/Effect"
import { jsonUnsafe } from "effect/http/HttpServerResponse"
import { METRICS_RANGE_DEFAULT } from "@pulumi-vps/contract/Monitoring"
import { commandNamed } from "../../../admin/Commands.ts"
import { execute } from "../../../admin/Execute.ts"
import { hostUse } from "../../../admin/HostUse.ts"
import { setup } from "../../../admin/Setup.ts"
import { today } from "../../../admin/Today.ts"
import type { InputOf, PanelCommand, ResultOf } from "../../../contract/operator/Commands.ts"
import type { Caller } from "../../../domain/Caller.ts"
import { InstanceNotFound } from "../../../domain/Errors.ts"
import { metrics } from "../../../instances/Monitoring.ts"
import { findInstances } from "../../../instances/Read.ts"
import { actorOf } from "../../../people/Actor.ts"
import { OperatorLists } from "../../../persistence/OperatorLists.ts"
import { compressed } from "../Compression.ts"
import { assertFresh } from "../Permission.ts"
import { Refused, type Visitor } from "../Visitor.ts"
import type { PanelHandlers } from "../Handlers.ts"

const hostOnly = (name: string) =>
  new Refused({ status: 403, message: `${name} is only possible on the host itself, by vps-service admin.` })

const run = Effect.fnUntraced(function*(name: string, input: unknown, visitor: Visitor) {
  const { fresh, hostOnly: isHostOnly, isAct } = yield* commandNamed(name)
  if (isHostOnly) return yield* hostOnly(name)
  // A preview changes nothing.
  if (fresh && isAct(input)) yield* assertFresh(visitor)
  return yield* execute(name, input, actorOf(visitor))
})

/** Most results of each kind: more need a longer query. */
const FOUND_MAX = 20

const ID = /^[1-9]\d{0,14}$/

const search = Effect.fnUntraced(function*(q: string, visitor: Visitor) {
  const found = <Name extends PanelCommand>(name: Name, input: InputOf<Name>) =>
    Effect.map(run(name, input, visitor), (result) => result as ResultOf<Name>)
  const one = <Name extends "accounts.show" | "tasks.show">(name: Name, id: number) =>
    found<Name>(name, { id } as InputOf<Name>).pipe(
      Effect.map((record): ReadonlyArray<ResultOf<Name>> => [record]),
      Effect.catchTag("CommandRejected", () => Effect.succeed([]))
    )
  const id = ID.test(q) ? Number(q) : undefined
  const byId = id === undefined ? [] : yield* one("accounts.show", id)
  const accounts = yield* found("accounts.list", { search: q, after: 0, limit: FOUND_MAX })
  const others = accounts.filter((account) => account.id !== id)
  return {
    accounts: [...byId, ...others],
    instances: yield* found("instances.list", { search: q, limit: FOUND_MAX }),
    people: yield* found("people.list", { search: q, limit: FOUND_MAX }),
    tasks: id === undefined ? [] : yield* one("tasks.show", id)
  }
})

/** The account's own view, for reads. Not of the person: it counts nothing, and requests nothing in their name. */
const callerOf = Effect.fnUntraced(function*(instanceId: number, { requestId }: Visitor) {
  const instance = yield* (yield* OperatorLists).instance(instanceId)
  if (instance === undefined) return yield* new InstanceNotFound({ instanceId })
  return { accountId: instance.accountId, apiKeyId: null, requestId } satisfies Caller
})

export const operator: PanelHandlers<"operator"> = {
  command: Effect.fnUntraced(function*({ params: { name }, payload, request }, visitor) {
    const result = yield* run(name, payload, visitor)
    // The result of an act may have a secret, such as a new key.
    return (yield* commandNamed(name)).isAct(payload) ? result : yield* compressed(request, jsonUnsafe(result))
  }),
  instance: Effect.fnUntraced(function*({ params: { id } }, visitor) {
    const [found] = yield* findInstances(yield* callerOf(id, visitor), [id])
    return found ?? (yield* new InstanceNotFound({ instanceId: id }))
  }),
  metrics: Effect.fnUntraced(function*({ params: { id }, query: { range = METRICS_RANGE_DEFAULT } }, visitor) {
    return yield* metrics(yield* callerOf(id, visitor), id, range)
  }),
  host_use: () => hostUse,
  today: () => Effect.zipWith(today, setup, (numbers, missing) => ({ ...numbers, setup: missing })),
  search: ({ query: { q } }, visitor) => search(q.trim(), visitor)
}
