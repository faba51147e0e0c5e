/** The bank test: customers, an operator and a calendar continue while processes are killed; then all is audited. */
import { audit } from "./Audit.ts"
import { openBank } from "./Bank.ts"
import type { Cluster } from "./Cluster.ts"
import { until } from "../../support/until.ts"

export interface Storm {
  readonly customers: number
  readonly seed: number
  readonly kills: number
  /** From one kill's return to the next kill. */
  readonly pace: (more: (count: number) => Promise<void>) => Promise<void>
  /** Over how long the fleet's periods end, in milliseconds. */
  readonly renewalsWithin: number
}

export interface Figures {
  readonly kills: Readonly<Record<string, number>>
  readonly seconds: number
  readonly creates: number
  readonly resizes: number
  readonly power: number
  readonly top_ups: number
  readonly renewals: number
  readonly acknowledged: number
  readonly lost_answers: number
}

/** Machines whose period ends during the storm. */
const FLEET = 40

const epochMillis = (): number => Math.round(performance.timeOrigin + performance.now())

const isIdle = async ({ command }: Cluster): Promise<boolean> => {
  for (const status of ["queued", "running"] as const) {
    if ((await command("tasks.list", { status, limit: 1 })).length > 0) return false
  }
  return true
}

/** Rejects when anything acknowledged is missing, or anything exists twice. */
export const runStorm = async (cluster: Cluster, storm: Storm): Promise<Figures> => {
  const shop = await openBank(cluster, storm.customers, storm.seed)
  const fleet = await shop.fleet(FLEET)
  await until(() => isIdle(cluster))
  const first = epochMillis()
  const step = Math.ceil(storm.renewalsWithin / FLEET)
  await cluster.apart((query) => query(`UPDATE instances SET expires_at = ${first} + id * ${step}`))

  const began = performance.now()
  const bank = shop.begin()
  const kills: Record<string, number> = {}
  for (let turn = 0; turn < storm.kills; turn++) {
    await storm.pace(bank.more)
    const what = await cluster.strike(turn)
    kills[what] = (kills[what] ?? 0) + 1
  }
  const seconds = Math.round((performance.now() - began) / 1_000)
  await bank.stop()
  // The storm ends with a kill, too: the latest acknowledgments must outlive it.
  await cluster.strike(0)
  const last = Math.max(...fleet)
  await until(async () => epochMillis() > first + (last + 1) * step && await isIdle(cluster))
  await cluster.apart((query) => audit(query, bank.acknowledged, fleet))
  const { bought, lost, paidIn, resized, switched } = bank.acknowledged
  return {
    kills,
    seconds,
    creates: bought.length,
    resizes: resized.length,
    power: switched.length,
    top_ups: paidIn.length,
    renewals: fleet.length,
    acknowledged: bought.length + resized.length + switched.length + paidIn.length,
    lost_answers: lost
  }
}
