/** Operations inside the system of a machine, by its guest agent. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { Operation } from "../../../Driver.ts"
import { powerOf } from "../Machines.ts"
import { CODES, LibvirtError } from "../rpc/Faults.ts"
import { PROCEDURES as CALLS } from "../rpc/Procedures.ts"
import { agent, type Continue, done, rejected, waiting, withAgent, type Work } from "../Work.ts"

type OperationOf<T, O = Operation> = O extends { readonly type: infer U } ? T extends U ? O : never : never

const assertOn = ({ domain, session }: Work) =>
  Effect.flatMap(
    powerOf(session, domain),
    (power) => power === "on" ? Effect.void : rejected("The instance is off. Start it first.")
  )

export const resetPassword: Continue<OperationOf<"reset_password">> = Effect.fnUntraced(function*(work, { password }) {
  yield* assertOn(work)
  const { domain, record, session } = work
  const set = session.slow(CALLS.setPassword, [domain, "root", Redacted.value(password), 0])
  const answered = yield* withAgent(work, set).pipe(
    Effect.catch((error) =>
      error instanceof LibvirtError && error.code === CODES.INTERNAL
        ? rejected("The guest agent could not set the password of root.")
        : Effect.fail(error)
    )
  )
  return Option.isSome(answered) ? done(record) : waiting(work, 1)
})

interface Exit {
  readonly exited?: boolean
  readonly exitcode?: number
}

/** Polls of a command in the guest, each of which waits for the agent's reply. */
const POLLS = 50

const exitOf = Effect.fnUntraced(function*({ domain, session }: Work, pid: number) {
  for (let poll = 0; poll < POLLS; poll++) {
    const status = (yield* agent(session, domain, "guest-exec-status", { pid })) as Exit
    if (status.exited === true) return status.exitcode
  }
  return undefined
})

export const setHostname: Continue<OperationOf<"set_hostname">> = Effect.fnUntraced(function*(work, { hostname }) {
  yield* assertOn(work)
  const { domain, record, session } = work
  const args = { path: "hostnamectl", arg: ["set-hostname", hostname] }
  const started = yield* withAgent(work, agent(session, domain, "guest-exec", args))
  if (Option.isNone(started)) return waiting(work, 1)
  const { pid } = started.value as { readonly pid: number }
  const code = yield* exitOf(work, pid)
  if (code !== 0) return yield* rejected(`hostnamectl failed in the instance (exit code ${code ?? "unknown"})`)
  return done({ ...record, hostname })
})
