/** The capacity of hosts: it decides what is in stock, and reserves a host and an address for each instance. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { Limits } from "../config/Limits.ts"
import { PlanNotFound } from "../domain/Errors.ts"
import { type MachineSize, sizeOf } from "../domain/MachineSize.ts"
import { fits, place } from "../domain/Placement.ts"
import { Addresses } from "../persistence/Addresses.ts"
import type { Plan } from "../persistence/catalogue/Plan.ts"
import { type Host, Hosts } from "../persistence/Hosts.ts"
import type { Reservation } from "../persistence/Reservations.ts"

/** True if the driver runs machines on our hosts; otherwise everything here succeeds without a query. */
export const PlacesMachines = Context.Reference<boolean>("@pulumi-vps/service/PlacesMachines", {
  defaultValue: () => false
})

const outOfStock = (planId: number) => new PlanNotFound({ planId, outOfStock: true })

/** A host for a machine of a plan; fails with `PlanNotFound` if it fits nowhere, or if its specs have no size. */
const hostFor = Effect.fnUntraced(function*(plan: Plan, image: string | null, accountId: number | null) {
  const size = sizeOf(plan.specs)
  if (size === undefined) return yield* outOfStock(plan.id)
  const hosts = yield* Hosts
  const own = accountId === null ? new Map<number, number>() : yield* hosts.machinesOf(accountId)
  // One more than have machines of the customer: of these and all others, the best host is the same.
  const host = place(yield* hosts.candidates(plan.dataCenterId, image, size, own.size + 1), size, own)
  return host === undefined ? yield* outOfStock(plan.id) : { host, size }
})

/** Fails with `PlanNotFound` if no host and no address is free for a plan, with one of its images if it is not null. */
export const assertInStock = Effect.fnUntraced(function*(plan: Plan, image: string | null) {
  if (!(yield* PlacesMachines)) return
  yield* hostFor(plan, image, null)
  const at = yield* Clock.currentTimeMillis
  if (!(yield* (yield* Addresses).isFree(plan.dataCenterId, at))) return yield* outOfStock(plan.id)
})

/** The plans that are in stock. */
export const inStock = Effect.fnUntraced(function*(plans: ReadonlyArray<Plan>) {
  if (!(yield* PlacesMachines)) return plans
  return yield* Effect.filter(
    plans,
    (plan) => Effect.match(assertInStock(plan, null), { onSuccess: () => true, onFailure: () => false })
  )
})

interface Buyer {
  readonly accountId: number
  readonly instanceId: number
  /** Slug. */
  readonly image: string
}

/** Reserves a host and an address, in the create's transaction. Fails with `PlanNotFound`. */
export const reserve = Effect.fnUntraced(function*(plan: Plan, { accountId, image, instanceId }: Buyer, at: number) {
  if (!(yield* PlacesMachines)) return
  const { host, size } = yield* hostFor(plan, image, accountId)
  yield* (yield* Hosts).reserve({ instanceId, accountId, hostId: host.id, size })
  const assigned = yield* (yield* Addresses).assign(plan.dataCenterId, instanceId, at)
  if (!assigned) return yield* outOfStock(plan.id)
})

/** The best host for an instance that leaves its own; undefined if it fits on none that is accepted. */
export const anotherHost = Effect.fnUntraced(function*(
  { accountId, os }: { readonly accountId: number; readonly os: string },
  { size }: Pick<Reservation, "size">,
  from: Host,
  accepts: (host: Host) => boolean
) {
  const hosts = yield* Hosts
  const active = yield* hosts.active(from.dataCenterId, os)
  const isSame = ({ sharedStorage }: Host) => sharedStorage !== null && sharedStorage === from.sharedStorage
  const others = active.filter((host) => host.id !== from.id && accepts(host)).map((host) =>
    // Its disk is on that storage already.
    isSame(host) ? { ...host, diskLeftGib: null } : host
  )
  return place(others, size, yield* hosts.machinesOf(accountId))
})

const larger = (one: MachineSize, other: MachineSize): MachineSize => ({
  cpus: Math.max(one.cpus, other.cpus),
  memoryMib: Math.max(one.memoryMib, other.memoryMib),
  diskGib: Math.max(one.diskGib, other.diskGib)
})

/** The size to reserve while an instance changes to a plan; undefined if its host has no capacity for that. */
const sizeDuringChange = Effect.fnUntraced(function*(instanceId: number, target: Plan) {
  const hosts = yield* Hosts
  const reservation = yield* hosts.reservation(instanceId)
  const size = sizeOf(target.specs)
  const host = reservation && (yield* hosts.find(reservation.hostId))
  if (host === undefined || reservation === undefined || size === undefined) return undefined
  const needed = larger(reservation.size, size)
  const more = {
    cpus: needed.cpus - reservation.size.cpus,
    memoryMib: needed.memoryMib - reservation.size.memoryMib,
    diskGib: needed.diskGib - reservation.size.diskGib
  }
  // A resize stays on its host, also while that takes no new machines.
  return fits({ ...host, state: "active" }, more) ? needed : undefined
})

/** The plans to which an instance can be resized on its host. */
export const resizable = Effect.fnUntraced(function*(instanceId: number, plans: ReadonlyArray<Plan>) {
  if (!(yield* PlacesMachines)) return plans
  return yield* Effect.filter(
    plans,
    (plan) => Effect.map(sizeDuringChange(instanceId, plan), (size) => size !== undefined)
  )
})

/** Reserves the larger of both sizes until the change has ended. Fails with `PlanNotFound`. */
export const reserveChange = Effect.fnUntraced(function*(instanceId: number, target: Plan) {
  if (!(yield* PlacesMachines)) return
  const size = yield* sizeDuringChange(instanceId, target)
  if (size === undefined) return yield* outOfStock(target.id)
  yield* (yield* Hosts).resize(instanceId, size)
})

/** Reserves the size of the plan that an instance has after a change. */
export const endChange = Effect.fnUntraced(function*(instanceId: number, plan: Pick<Plan, "specs"> | undefined) {
  const size = plan === undefined ? undefined : sizeOf(plan.specs)
  if (size !== undefined) yield* (yield* Hosts).resize(instanceId, size)
})

/** Returns the capacity and the address of a terminated instance. */
export const release = Effect.fnUntraced(function*(instanceId: number, at: number) {
  yield* (yield* Hosts).release(instanceId)
  yield* (yield* Addresses).release(instanceId, at + (yield* Limits).ADDRESS_QUARANTINE_MILLIS)
})
