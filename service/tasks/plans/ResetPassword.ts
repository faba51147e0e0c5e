/**
 * A new root password. It is in the memory of the caller who waits, and nowhere else: a task that a crash cut off has
 * lost it, so it fails instead of setting a password that nobody would ever see.
 */
import * as Effect from "effect/Effect"
import { type Operation, Rejected } from "../../provisioning/Driver.ts"
import { nothingToRecord, type Saga, SINGLE_ATTEMPT, type TaskContext } from "../../operations/Saga.ts"

const LOST = new Rejected({ reason: "the request that waited for the password was cut off: ask for another" })

export const resetPassword = ({ password }: TaskContext): Saga => ({
  retry: SINGLE_ATTEMPT,
  steps: password === null
    ? Effect.fail(LOST)
    : Effect.succeed([{ type: "reset_password", password } satisfies Operation]),
  complete: () => Effect.void,
  fail: nothingToRecord,
  compensation: null
})
