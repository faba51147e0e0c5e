/** What customers do with what they have: any operation on any instance, whatever its state. */
import * as Effect from "effect/Effect"
import type { HttpMethod } from "effect/http/HttpMethod"
import type { Account, Surroundings } from "./Customers.ts"
import type { Dice } from "./Dice.ts"
import type { Asked } from "./Network.ts"

type Chore = readonly [method: HttpMethod, path: string, body?: unknown]

/** A snapshot of the instance that was seen, or one that is hardly there. */
const snapshotOf = (dice: Dice, account: Account, id: number): number => {
  const seen = account.snapshots.filter(([instance]) => instance === id)
  return seen.length === 0 || dice.chance(0.1) ? dice.between(1, 20) : dice.pick(seen)[1]
}

const CHORES: ReadonlyArray<(around: Surroundings, account: Account, id: number) => Chore> = [
  () => ["POST", "/start"],
  () => ["POST", "/stop"],
  () => ["POST", "/restart"],
  () => ["POST", "/reinstall", { os: "debian-13" }],
  ({ dice }) => ["POST", "/resize", { service_id: dice.pick([1, 2, 3]) }],
  ({ dice }) => ["POST", "/resize", { service_id: dice.pick([1, 2, 3]) }],
  () => ["PATCH", "/hostname", { hostname: "new.example.test" }],
  () => ["POST", "/reset-password"],
  () => ["POST", "/snapshots", { name: "one" }],
  () => ["POST", "/snapshots", { name: "two" }],
  ({ dice }, account, id) => ["DELETE", `/snapshots/${snapshotOf(dice, account, id)}`],
  ({ dice }, account, id) => ["POST", `/snapshots/${snapshotOf(dice, account, id)}/restore`],
  ({ dice }) => ["POST", `/backups/${dice.between(1, 20)}/restore`],
  ({ dice }) => ["POST", "/iso", { iso_id: dice.pick([1, 2]) }],
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
const list = ({ network, world }: Surroundings, account: Account, token: string) =>
  Effect.map(network.ask({ method: "GET", path: "/instances", token }), ({ body, status }) => {
    if (status !== 200) return
    const listed = body as ReadonlyArray<{ readonly id: number; readonly ipv4: string | null }>
    // Those bought without our hearing of it are found like this.
    for (const { id, ipv4 } of listed) {
      account.instances.add(id)
      if (ipv4 !== null) account.addresses.set(id, ipv4)
    }
    world.note(`account ${account.id} has ${listed.length} instances`)
  })

/** A chore with one of the account's instances, in one try. */
const chore = (around: Surroundings, account: Account): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { dice, network } = around
    const { token } = dice.pick(account.tokens)
    if (account.instances.size === 0 || dice.chance(0.1)) return list(around, account, token)
    const id = dice.pick([...account.instances])
    const ip = account.addresses.get(id)
    const rdns: Chore = ["POST", "/rdns", { ip, ptr: "new.example.test" }]
    const [method, path, body] = ip !== undefined && dice.chance(0.05) ? rdns : dice.pick(CHORES)(around, account, id)
    const asked: Asked = { method, path: `/instances/${id}${path}`, token, ...(body === undefined ? {} : { body }) }
    return Effect.map(network.ask(asked), ({ body: answer }) => {
      if (typeof answer?.snapshot?.id === "number") account.snapshots.push([id, answer.snapshot.id])
    })
  })

/** Some of them at once, so that they meet. */
export const chores = (around: Surroundings, account: Account): Effect.Effect<void> =>
  Effect.suspend(() =>
    Effect.all(Array.from({ length: around.dice.pick([1, 1, 2, 4]) }, () => chore(around, account)), {
      concurrency: "unbounded",
      discard: true
    })
  )
