/** A new system: answered at once, done by the task. */
import * as Effect from "effect/Effect"
import type { Reinstall } from "#contract/Instance"
import type { Caller } from "../domain/Caller.ts"
import { InvalidField } from "../domain/Errors.ts"
import { checkKey, offeredImage } from "../orders/Image.ts"
import { Catalogue } from "../persistence/Catalogue.ts"
import type { StoredInstance } from "../persistence/Instances.ts"
import { Secret } from "../Secret.ts"
import { admit, commitAndNotify, enqueue, findOwn } from "./Admission.ts"

type Body = typeof Reinstall.Encoded

/** Form has been checked; here the fields are checked for what they mean, in the order in which they are declared. */
const checkMeaning = Effect.fnUntraced(function*({ id, planId }: StoredInstance, body: Body) {
  const plan = yield* (yield* Catalogue).plan(planId)
  if (plan === undefined) return yield* Effect.die(new Error(`plan ${planId} of instance ${id} is missing`))
  const image = yield* offeredImage(plan, body.os)
  if (typeof body.os_id === "number" && body.os_id !== image.osId) {
    return yield* new InvalidField({
      field: "os_id",
      problem: `does not agree with os: "${image.slug}" is ${image.osId}`
    })
  }
  yield* checkKey(image, body.ssh_pubkey)
  return image
})

const seal = Effect.fnUntraced(function*(password: string | null | undefined) {
  if (typeof password !== "string") return null
  return (yield* Secret).seal(JSON.stringify({ root_password: password }))
})

/** Runs in one transaction. */
const reinstalled = Effect.fnUntraced(function*(caller: Caller, instanceId: number, body: Body) {
  const instance = yield* findOwn(caller, instanceId)
  const { slug } = yield* checkMeaning(instance, body)
  yield* admit(instance, "reinstall")
  return yield* enqueue(caller, instance, {
    type: "reinstall",
    params: JSON.stringify({ os: slug, ssh_pubkey: body.ssh_pubkey ?? null }),
    sealed: yield* seal(body.password)
  })
})

/**
 * Begins a reinstall. Fails with `InstanceNotFound`, `InvalidField`, `InstanceBusy`, `InvalidState` or
 * `StorageUnavailable`.
 */
export const reinstall = (caller: Caller, instanceId: number, body: Body) =>
  commitAndNotify(reinstalled(caller, instanceId, body))
