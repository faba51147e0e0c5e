/** A new system on the machine's disk, whose content is lost; the host name and the addresses stay. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Reinstall as ReinstallBody } from "@pulumi-vps/contract/Instance"
import { checkKey, offeredImage, planOf } from "../catalogue/Plans.ts"
import type { Caller } from "../domain/Caller.ts"
import { InvalidField } from "../domain/Errors.ts"
import { admit, findOwn } from "../instances/Admission.ts"
import { Instances, type StoredInstance } from "../persistence/Instances.ts"
import { commitAndNotify, enqueue } from "./Enqueue.ts"
import { hostnameOf, recordSystem, rootPassword, sealPassword } from "./InstalledSystem.ts"
import { define } from "./Operation.ts"

const Params = Schema.Struct({ os: Schema.String, ssh_pubkey: Schema.NullOr(Schema.String) })

export const Reinstall = define({
  type: "reinstall",
  params: Params,
  retry: "default",
  execute: ({ instance, params: { os, ssh_pubkey: sshPublicKey }, task }) =>
    Effect.map(rootPassword(task), (password) => [
      { type: "reinstall", hostname: hostnameOf(instance), os, sshPublicKey, rootPassword: password }
    ]),
  complete: Effect.fnUntraced(function*({ instance, params }, { machine }) {
    const instances = yield* Instances
    yield* instances.setBootMode(instance.id, "disk")
    yield* instances.setPower(instance.id, "on")
    yield* recordSystem(instance, params.os, machine)
  })
})

type Body = typeof ReinstallBody.Encoded

/** The form is valid; this validates what the fields mean, in the order of their declaration. */
const validate = Effect.fnUntraced(function*(instance: StoredInstance, body: Body) {
  const image = yield* offeredImage(yield* planOf(instance), body.os)
  if (typeof body.os_id === "number" && body.os_id !== image.osId) {
    return yield* new InvalidField({
      field: "os_id",
      problem: `does not agree with os: "${image.slug}" is ${image.osId}`
    })
  }
  yield* checkKey(image, body.ssh_pubkey)
  return image
})

/**
 * Requests a reinstall. Fails with `InstanceNotFound`, `InvalidField`, `InstanceBusy`, `InvalidState` or
 * `StorageUnavailable`.
 */
export const reinstall = Effect.fnUntraced(function*(caller: Caller, instanceId: number, body: Body) {
  const instance = yield* findOwn(caller, instanceId)
  const { slug } = yield* validate(instance, body)
  yield* admit(instance, "reinstall")
  const task = Reinstall.task({ os: slug, ssh_pubkey: body.ssh_pubkey ?? null })
  return yield* enqueue(caller, instance, task, yield* sealPassword(body.password))
}, commitAndNotify)
