/**
 * Deployments wait after the database may have become older than the machines, until a comparison finds that every
 * machine has an instance, or an operator confirms the machines: the next customer must not get an id, an address or
 * memory that another one's machine has.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Limits } from "../config/Limits.ts"
import type { AuditedInstance, HostContents, ListedMachine } from "../domain/Finding.ts"
import { Addresses } from "../persistence/Addresses.ts"
import { DeploymentHolds, type Sequence } from "../persistence/DeploymentHolds.ts"
import { idInTag } from "../persistence/MachineTag.ts"
import { LOST_IDS_MAX } from "../persistence/schema/Dialect.ts"
import { OperatorLists } from "../persistence/OperatorLists.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { Busy, Driver, Unavailable } from "../provisioning/Driver.ts"

/**
 * Records that the database was replaced by an older one: its ids continue after the last ones of the replaced
 * database, far after its own if those are unknown, and deployments wait. Part of a transaction.
 */
export const holdAfterRestore = Effect.fnUntraced(function*(
  backup: string,
  replaced: ReadonlyArray<Sequence> | undefined
) {
  const holds = yield* DeploymentHolds
  const since = yield* Clock.currentTimeMillis
  yield* holds.advanceIds(replaced ?? farAfter(yield* holds.lastIds))
  yield* holds.begin({ reason: `the database was restored from ${backup}`, since })
})

/** More ids than a database may lack. */
const farAfter = (lasts: ReadonlyArray<Sequence>): ReadonlyArray<Sequence> =>
  lasts.map(([table, last]) => [table, last + LOST_IDS_MAX])

type Tagged = Pick<AuditedInstance, "tag">

const lastInstance = Effect.map(
  Effect.flatMap(DeploymentHolds, ({ lastIds }) => lastIds),
  (lasts) => lasts.find(([table]) => table === "instances")?.[1] ?? 0
)

/** The machines whose tag no instance has. */
const unknownMachines = (
  contents: ReadonlyArray<HostContents>,
  instances: ReadonlyArray<Tagged>
): ReadonlyArray<ListedMachine> => {
  const known = new Set(instances.map(({ tag }) => tag))
  return contents.flatMap(({ failure, machines }) => failure === null ? machines : []).filter(({ tag }) =>
    !known.has(tag)
  )
}

/** Keeps their addresses from new instances for as long as they are found. */
const withhold = Effect.fnUntraced(function*(machines: ReadonlyArray<ListedMachine>) {
  const { ADDRESS_QUARANTINE_MILLIS, AUDIT_MILLIS } = yield* Limits
  const at = yield* Clock.currentTimeMillis
  const until = at + Math.max(ADDRESS_QUARANTINE_MILLIS, 2 * AUDIT_MILLIS)
  const addresses = yield* Addresses
  yield* Effect.forEach(
    machines.flatMap(({ ipv4 }) => ipv4 ?? []),
    (address) => addresses.withhold(address, until, at),
    { discard: true }
  )
})

/** Hosts and customers know ids of these tables as well, and nothing lists them. */
const UNLISTED: ReadonlySet<string> = new Set(["orders", "tasks", "snapshots", "backups"])

/**
 * Takes in what the hosts have: ids continue after those of all machines, and the addresses of machines without an
 * instance are withheld. A machine with an id that was not assigned yet is proof that the database is older, however it
 * came back: then deployments wait. Returns the machines without an instance.
 */
export const takeIn = Effect.fnUntraced(function*(
  contents: ReadonlyArray<HostContents>,
  instances: ReadonlyArray<Tagged>
) {
  const unknown = unknownMachines(contents, instances)
  if (unknown.length === 0) return unknown
  const last = yield* lastInstance
  const highest = Math.max(0, ...unknown.flatMap(({ tag }) => idInTag(tag) ?? []))
  const holds = yield* DeploymentHolds
  const at = yield* Clock.currentTimeMillis
  yield* (yield* Transaction).run(Effect.gen(function*() {
    yield* withhold(unknown)
    if (highest <= last) return
    const others = (yield* holds.lastIds).filter(([table]) => UNLISTED.has(table))
    yield* holds.advanceIds([["instances", highest], ...farAfter(others)])
    yield* holds.begin({ reason: `the hosts have machines of instances ${last + 1} to ${highest}`, since: at })
  }))
  if (highest > last) {
    yield* Effect.logError(
      `The database is older than the machines: it ends at instance ${last}, and the hosts have those up to `
        + `${highest}. New ids continue after these, and deployments wait. ${REMEDY}`
    )
  }
  return unknown
})

const REMEDY = "Run \"vps-service admin machines audit\", bring the missing instances back or remove their machines, "
  + "then run \"vps-service admin machines confirm\"."

/** Compares the hosts with the instances, and takes in what the hosts have. */
export const compareForHold = Effect.gen(function*() {
  const contents = yield* (yield* Driver).list("all")
  return { contents, unknown: yield* takeIn(contents, yield* (yield* OperatorLists).machines(0)) }
})

/** Passes without a hold, and once the machines were compared; else fails with what keeps deployments waiting. */
export const passHold = Effect.gen(function*() {
  const holds = yield* DeploymentHolds
  if ((yield* holds.find) === undefined) return
  const { contents, unknown } = yield* compareForHold
  const silent = contents.filter(({ failure, isOff }) => failure !== null && !isOff).map(({ host }) => host)
  if (unknown.length === 0 && silent.length === 0) {
    yield* (yield* Transaction).run(holds.end)
    return yield* Effect.logInfo("Every machine has an instance: deployments continue.")
  }
  const reason = silent.length === 0
    ? `${unknown.length} machines have no instance, among them ${unknown[0]!.tag}`
    : `these hosts do not respond: ${silent.join(", ")}`
  yield* Effect.logWarning(`Deployments wait for a comparison of the machines: ${reason}. ${REMEDY}`)
  return yield* new Busy({
    reason: "an operator compares the machines with the instances after a restore",
    isHostDown: true
  })
}).pipe(
  Effect.catchTag("StorageUnavailable", () => Effect.fail(new Unavailable({ reason: "the database did not answer" })))
)
