/** Operations inside the system of a machine, by its guest agent. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { OperationOf } from "../../../Driver.ts"
import { powerOf } from "../Machines.ts"
import { CODES, LibvirtError } from "../rpc/Faults.ts"
import { PROCEDURES as CALLS } from "../rpc/Procedures.ts"
import { execute } from "../GuestAgent.ts"
import { type Continue, done, rejected, waiting, withAgent, type Work } from "../Work.ts"

const assertOn = ({ domain, connection }: Work) =>
  Effect.flatMap(
    powerOf(connection, domain),
    (power) => power === "on" ? Effect.void : rejected("The instance is off. Start it first.")
  )

const resetPassword: Continue<OperationOf<"reset_password">> = Effect.fnUntraced(function*(work, { password }) {
  yield* assertOn(work)
  const { domain, record, connection } = work
  const set = connection.slow(CALLS.setPassword, [domain, "root", Redacted.value(password), 0])
  const answered = yield* withAgent(work, set).pipe(
    Effect.catch((error) =>
      error instanceof LibvirtError && error.code === CODES.INTERNAL
        ? rejected("The guest agent could not set the password of root.")
        : Effect.fail(error)
    )
  )
  return Option.isSome(answered) ? done(record) : waiting(work, 1)
})

const setHostname: Continue<OperationOf<"set_hostname">> = Effect.fnUntraced(function*(work, { hostname }) {
  yield* assertOn(work)
  const { record } = work
  const executed = yield* withAgent(work, execute(work, "hostnamectl", ["set-hostname", hostname]))
  if (Option.isNone(executed)) return waiting(work, 1)
  const code = executed.value
  if (code === undefined) return yield* rejected("hostnamectl does not end in the instance")
  if (code !== 0) return yield* rejected(`hostnamectl failed in the instance (exit code ${code})`)
  return done({ ...record, hostname })
})

export const GUEST = { reset_password: resetPassword, set_hostname: setHostname }
