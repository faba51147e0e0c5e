/**
 * A new root password, which the waiting caller sees once. It exists only in the memory of that request: a task that a
 * crash interrupted has lost it, so it fails instead of setting a password that the customer would never see.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { randomInt } from "node:crypto"
import type { ResetPasswordResult } from "@pulumi-vps/contract/Instance"
import { Limits } from "../config/Limits.ts"
import type { Caller } from "../domain/Caller.ts"
import { findOwn, ownerOf } from "../instances/Admission.ts"
import { Notices } from "../instances/Notices.ts"
import { Rejected } from "../provisioning/Driver.ts"
import { define, NoParams } from "./Operation.ts"
import { runNow } from "./Enqueue.ts"

const LOST = new Rejected({ reason: "the request for the password was interrupted; request another one" })

export const ResetPassword = define({
  type: "reset_password",
  params: NoParams,
  retry: "single",
  execute: ({ password }) =>
    password === null ? Effect.fail(LOST) : Effect.succeed([{ type: "reset_password", password }])
})

/** Without the letters and digits that look alike. */
const CHARACTER_CLASSES = ["abcdefghijkmnopqrstuvwxyz", "ABCDEFGHJKLMNPQRSTUVWXYZ", "23456789"]
const CHARACTERS = CHARACTER_CLASSES.join("")

const randomCharacter = (from: string): string => from[randomInt(from.length)]!

/** At least one of each class, in random places: some systems insist. */
const makePassword = (length: number): string => {
  const letters = Array.from({ length }, (_, index) => randomCharacter(CHARACTER_CLASSES[index] ?? CHARACTERS))
  for (let last = letters.length - 1; last > 0; last--) {
    const other = randomInt(last + 1)
    const moved = letters[last]!
    letters[last] = letters[other]!
    letters[other] = moved
  }
  return letters.join("")
}

/**
 * Sets a new root password, returns it and mails a copy to the owner; it is stored nowhere. In the panel, the person
 * chooses if it is mailed. Fails like `runNow`.
 */
export const resetPassword = Effect.fnUntraced(function*(caller: Caller, instanceId: number, { mail = true } = {}) {
  const { PASSWORD_LENGTH } = yield* Limits
  const password = yield* Effect.sync(() => Redacted.make(makePassword(PASSWORD_LENGTH)))
  const notices = yield* Notices
  const { email } = yield* ownerOf(caller)
  const { hostname } = yield* findOwn(caller, instanceId)
  const mailCopy = Effect.flatMap(
    Clock.currentTimeMillis,
    (resetAt) => notices.passwordReset({ caller, instanceId, hostname, email, password, resetAt })
  )
  const { instance } = yield* runNow({
    caller,
    instanceId,
    task: ResetPassword.task({}),
    password,
    // A caller that disconnected before the answer has only the copy.
    onSuccess: mail ? mailCopy : Effect.void
  })
  const { providerId } = instance
  if (providerId === null) return yield* Effect.die(new Error(`active instance ${instanceId} has no machine`))
  return {
    ok: true,
    action: "reset_password",
    provider_id: providerId,
    password: Redacted.value(password),
    show_once: true
  } satisfies typeof ResetPasswordResult.Encoded
})
