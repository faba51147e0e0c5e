/** Labels that members give to the instances of their account. */
import * as Effect from "effect/Effect"
import type { Caller } from "../domain/Caller.ts"
import { findOwn } from "../instances/Admission.ts"
import { Labels } from "../persistence/Labels.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { type By, recordBy } from "./Actor.ts"

/** The labels of each instance that has some, by its id. */
export const labelsOf = Effect.fnUntraced(function*(accountId: number) {
  const byInstance = new Map<number, Array<string>>()
  for (const { instanceId, label } of yield* (yield* Labels).ofAccount(accountId)) {
    byInstance.set(instanceId, [...byInstance.get(instanceId) ?? [], label])
  }
  return byInstance
})

/** Replaces the labels of an instance, and returns them in order, each once. Fails with `InstanceNotFound`. */
export const setLabels = Effect.fnUntraced(function*(
  instanceId: number,
  wanted: ReadonlyArray<string>,
  by: By & { readonly caller: Caller }
) {
  const { accountId } = by.caller
  const labels = [...new Set(wanted)].toSorted()
  yield* (yield* Transaction).run(Effect.gen(function*() {
    yield* findOwn(by.caller, instanceId)
    yield* (yield* Labels).set(accountId, instanceId, labels)
    yield* recordBy(by, { action: "instances.labels", accountId, instanceId, details: { labels } })
  }))
  return labels
})
