/** A storm: an upstream that fails in three of ten calls, and customers who ask for anything at any moment. */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { restoreBackup } from "#service/operations/BackupRestore"
import { mountIso, unmountIso } from "#service/operations/IsoMount"
import { setHostname } from "#service/operations/SetHostname"
import { setRdns } from "#service/operations/SetRdns"
import { resetPassword } from "#service/operations/ResetPassword"
import { operate } from "#service/operations/Power"
import { reinstall } from "#service/operations/Reinstall"
import { enterRescue, exitRescue } from "#service/operations/Rescue"
import { resize } from "#service/operations/Resize"
import { createSnapshot } from "#service/operations/SnapshotCreate"
import { deleteSnapshot } from "#service/operations/SnapshotDelete"
import { restoreSnapshot } from "#service/operations/SnapshotRestore"
import { Instances } from "#service/persistence/Instances"
import { Database } from "#service/persistence/sqlite/Database"
import { Busy, Rejected, Unavailable } from "#service/provisioning/Driver"
import { owner } from "./service.ts"
import type { FaultRates, Mishap } from "./upstream.ts"

/** Share of the upstream's answers that are mishaps. */
const FAILING = 0.3

const MISHAPS: ReadonlyArray<Mishap> = [
  new Busy({ reason: "busy" }),
  new Unavailable({ reason: "away" }),
  "lost",
  new Rejected({ reason: "no" })
]

const pick = <A>(from: ReadonlyArray<A>): Effect.Effect<A> =>
  Effect.map(Random.nextIntBetween(0, from.length - 1), (index) => from[index]!)

const failing = <A>(mishap: Effect.Effect<A>): Effect.Effect<A | undefined> =>
  Effect.flatMap(Random.next, (chance) => chance < FAILING ? mishap : Effect.succeed(undefined))

export const drawFaults: FaultRates = {
  submission: failing(pick(MISHAPS)),
  question: failing(Effect.succeed(new Unavailable({ reason: "away" })))
}

/** One of the instance's own snapshots or backups, or an id that names none. */
const partOf = Effect.fnUntraced(function*(table: "snapshots" | "backups", instanceId: number) {
  const rows = (yield* Database).all<[number]>(`SELECT id FROM ${table} WHERE instance_id = ? ORDER BY id`)(instanceId)
  return rows.length === 0 ? 0 : yield* pick(rows.map(([id]) => id))
})

const addressOf = (id: number) =>
  Effect.flatMap(Instances, ({ find }) => Effect.map(find(id), (instance) => instance?.ipv4 ?? "0.0.0.0"))

/** Any operation of a customer. */
const ACTIONS = [
  (id: number) => operate(owner, id, "stop"),
  (id: number) => operate(owner, id, "start"),
  (id: number) => operate(owner, id, "restart"),
  (id: number) => reinstall(owner, id, { os: "debian-13" }),
  (id: number) => Effect.flatMap(pick([1, 2, 3]), (plan) => resize(owner, id, plan)),
  (id: number) => setHostname(owner, id, "new.example.test"),
  (id: number) => Effect.flatMap(addressOf(id), (ip) => setRdns(owner, id, ip, "new.example.test")),
  (id: number) => resetPassword(owner, id),
  (id: number) => createSnapshot(owner, id, "one"),
  (id: number) => Effect.flatMap(partOf("snapshots", id), (part) => restoreSnapshot(owner, id, part)),
  (id: number) => Effect.flatMap(partOf("snapshots", id), (part) => deleteSnapshot(owner, id, part)),
  (id: number) => Effect.flatMap(partOf("backups", id), (part) => restoreBackup(owner, id, part)),
  (id: number) => Effect.flatMap(pick([1, 2]), (iso) => mountIso(owner, id, iso)),
  (id: number) => unmountIso(owner, id),
  (id: number) => enterRescue(owner, id),
  (id: number) => exitRescue(owner, id)
]

type Needs = Effect.Services<ReturnType<typeof ACTIONS[number]>>

/** Requests an operation of every instance; busy and failed ones refuse. The responses are not awaited. */
export const bother = (ids: ReadonlyArray<number>) =>
  Effect.forEach(ids, (id) =>
    Effect.gen(function*() {
      const action: (id: number) => Effect.Effect<unknown, unknown, Needs> = yield* pick(ACTIONS)
      yield* Effect.forkScoped(Effect.ignore(action(id)))
    }), { discard: true })
