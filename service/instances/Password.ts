/** A new root password: the caller waits for the upstream, and sees it this once. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { randomInt } from "node:crypto"
import type { ResetPasswordResult } from "#contract/Instance"
import type { Caller } from "../domain/Caller.ts"
import { Limits } from "../config/Limits.ts"
import { Accounts } from "../persistence/Accounts.ts"
import { admit, findOwn, openTask } from "./Admission.ts"
import { Notices } from "./Notices.ts"
import { TaskRunner } from "./TaskRunner.ts"

/** Without the letters and digits that look alike. */
const KINDS = ["abcdefghijkmnopqrstuvwxyz", "ABCDEFGHJKLMNPQRSTUVWXYZ", "23456789"]
const ALL = KINDS.join("")

const drawn = (from: string): string => from[randomInt(from.length)]!

/** At least one of each kind, in random places: some systems insist. */
const makePassword = (length: number): string => {
  const letters = Array.from({ length }, (_, index) => drawn(KINDS[index] ?? ALL))
  for (let last = letters.length - 1; last > 0; last--) {
    const other = randomInt(last + 1)
    const moved = letters[last]!
    letters[last] = letters[other]!
    letters[other] = moved
  }
  return letters.join("")
}

/** Runs in one transaction: the task is the lock, and is in work from the start. */
const opened = Effect.fnUntraced(function*(caller: Caller, instanceId: number) {
  const instance = yield* findOwn(caller, instanceId)
  yield* admit(instance, "reset_password")
  const { accountId, providerId } = instance
  const account = yield* (yield* Accounts).find(accountId)
  if (account === undefined || providerId === null) {
    return yield* Effect.die(new Error(`active instance ${instanceId} has no account or no machine`))
  }
  const { LEASE_MILLIS } = yield* Limits
  const taskId = yield* openTask(caller, instance, { type: "reset_password", params: "{}" }, LEASE_MILLIS)
  return { taskId, providerId, email: account.email }
})

/**
 * Sets a new root password, answers it and mails a copy to the owner; it is stored nowhere. Fails with
 * `InstanceNotFound`, `InstanceBusy`, `InvalidState`, `UpstreamFailed` (then the old one holds) or
 * `StorageUnavailable`.
 */
export const resetPassword = Effect.fnUntraced(function*(caller: Caller, instanceId: number) {
  const { PASSWORD_LENGTH } = yield* Limits
  const password = yield* Effect.sync(() => Redacted.make(makePassword(PASSWORD_LENGTH)))
  const notices = yield* Notices
  const { providerId } = yield* (yield* TaskRunner).runNow(opened(caller, instanceId), {
    password,
    // Who went away before the answer came has the copy alone.
    onSuccess: ({ email }) => notices.passwordReset({ caller, instanceId, email, password })
  })
  return {
    ok: true,
    action: "reset_password",
    provider_id: providerId,
    password: Redacted.value(password),
    show_once: true
  } satisfies typeof ResetPasswordResult.Encoded
})
