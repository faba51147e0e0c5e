/** The customers' operations: any operation on any instance, in any state. */
import * as Effect from "effect/Effect"
import type { HttpMethod } from "effect/http/HttpMethod"
import type { Network, SimulatedRequest } from "./Network.ts"
import type { ReferenceModel } from "./ReferenceModel.ts"
import type { SeededRandom } from "./SeededRandom.ts"
import type { VirtualScheduler } from "./VirtualScheduler.ts"

export interface Token {
  readonly id: number
  readonly token: string
}

export interface Account {
  readonly id: number
  tokens: Array<Token>
  /** The request of each key, for retries. */
  readonly orders: Array<{ readonly asked: SimulatedRequest; readonly at: number }>
  readonly instances: Set<number>
  /** Their observed addresses. */
  readonly addresses: Map<number, string>
  /** Requested snapshots: the instance, and the snapshot. */
  readonly snapshots: Array<readonly [instance: number, snapshot: number]>
}

/** The context of a customer's operations. */
export interface Surroundings {
  readonly scheduler: VirtualScheduler
  readonly random: SeededRandom
  readonly network: Network
  readonly model: ReferenceModel
  /** Draws an unused number. */
  readonly fresh: () => number
  /** True if an instance is deleted or was never deployed: its key is free again some time later. */
  readonly gone: (id: number) => boolean
  /** An account without instances. */
  readonly spare: number
  /** If false, the upstream rejects the termination of an instance. */
  readonly setDeletable: (id: number, deletable: boolean) => void
  /** Brings the end of an idle instance's paid period forward to so many milliseconds from now; false if it is not. */
  readonly bringForward: (id: number, left: number) => boolean
}

type Chore = readonly [method: HttpMethod, path: string, body?: unknown]

/** An observed snapshot of the instance, or one that probably does not exist. */
const snapshotOf = (random: SeededRandom, account: Account, id: number): number => {
  const seen = account.snapshots.filter(([instance]) => instance === id)
  return seen.length === 0 || random.chance(0.1) ? random.between(1, 20) : random.pick(seen)[1]
}

const CHORES: ReadonlyArray<(around: Surroundings, account: Account, id: number) => Chore> = [
  () => ["POST", "/start"],
  () => ["POST", "/stop"],
  () => ["POST", "/restart"],
  () => ["POST", "/reinstall", { os: "debian-13" }],
  ({ random }) => ["POST", "/resize", { service_id: random.pick([1, 2, 3]) }],
  ({ random }) => ["POST", "/resize", { service_id: random.pick([1, 2, 3]) }],
  () => ["PATCH", "/hostname", { hostname: "new.example.test" }],
  () => ["POST", "/reset-password"],
  () => ["POST", "/snapshots", { name: "one" }],
  () => ["POST", "/snapshots", { name: "two" }],
  ({ random }, account, id) => ["DELETE", `/snapshots/${snapshotOf(random, account, id)}`],
  ({ random }, account, id) => ["POST", `/snapshots/${snapshotOf(random, account, id)}/restore`],
  ({ random }) => ["POST", `/backups/${random.between(1, 20)}/restore`],
  ({ random }) => ["POST", "/iso", { iso_id: random.pick([1, 2]) }],
  () => ["DELETE", "/iso"],
  () => ["POST", "/rescue"],
  () => ["DELETE", "/rescue"],
  () => ["GET", ""],
  () => ["GET", "/status"],
  () => ["GET", "/tasks?limit=5"],
  () => ["GET", "/snapshots"],
  () => ["GET", "/backups"],
  () => ["GET", "/available-plans"],
  () => ["GET", "/metrics?range=24h"]
]

/** Reads the account's list. */
const list = ({ network, scheduler }: Surroundings, account: Account, token: string) =>
  Effect.map(network.ask({ method: "GET", path: "/instances", token }), ({ body, status }) => {
    if (status !== 200) return
    const listed = body as ReadonlyArray<{ readonly id: number; readonly ipv4: string | null }>
    // This finds instances whose purchase got no response.
    for (const { id, ipv4 } of listed) {
      account.instances.add(id)
      if (ipv4 !== null) account.addresses.set(id, ipv4)
    }
    scheduler.note(`account ${account.id} has ${listed.length} instances`)
  })

/** An operation on one of the account's instances, without retries. */
const chore = (around: Surroundings, account: Account): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { random, network } = around
    const { token } = random.pick(account.tokens)
    if (account.instances.size === 0 || random.chance(0.1)) return list(around, account, token)
    const id = random.pick([...account.instances])
    const ip = account.addresses.get(id)
    const rdns: Chore = ["POST", "/rdns", { ip, ptr: "new.example.test" }]
    const [method, path, body] = ip !== undefined && random.chance(0.05)
      ? rdns
      : random.pick(CHORES)(around, account, id)
    const asked: SimulatedRequest = {
      method,
      path: `/instances/${id}${path}`,
      token,
      ...(body === undefined ? {} : { body })
    }
    return Effect.map(network.ask(asked), ({ body: answer }) => {
      if (typeof answer?.snapshot?.id === "number") account.snapshots.push([id, answer.snapshot.id])
    })
  })

/** Some of them at once, so that they meet. */
export const operate = (around: Surroundings, account: Account): Effect.Effect<void> =>
  Effect.suspend(() =>
    Effect.all(Array.from({ length: around.random.pick([1, 1, 2, 4]) }, () => chore(around, account)), {
      concurrency: "unbounded",
      discard: true
    })
  )
