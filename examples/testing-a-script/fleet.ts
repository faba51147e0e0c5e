/**
 * Ensures that there is an instance for each name, and never charges more than the budget. It is safe to run again: the
 * names are the idempotency keys, so each instance is bought once.
 *
 *   VPS_BASE_URL=https://host/api/v1 VPS_API_KEY=vps_live_... node fleet.ts 25 web-1 web-2 web-3
 */
import { realpathSync } from "node:fs"
import { type Instance, Vps } from "@pulumi-vps/sdk"

/** The budget is too low. Nothing was bought. */
export class OverBudget extends Error {}

const PLAN = "vps-s"

/** Returns the instances in the order of their names. The budget is in units of the wallet's currency. */
export const ensureFleet = async (vps: Vps, names: ReadonlyArray<string>, budget: number): Promise<Array<Instance>> => {
  const plan = (await vps.services.list()).find(({ slug }) => slug === PLAN)
  if (plan === undefined) throw new Error(`Plan ${PLAN} not found.`)
  const orders = names.map((name) => ({
    body: { service_id: plan.id, hostname: name },
    options: { idempotencyKey: `fleet/${name}` }
  }))

  // With its key, the dry run of an earlier purchase shows no charge.
  const previews = await Promise.all(orders.map(({ body, options }) => vps.instances.dryRun(body, options)))
  const cents = previews.reduce((sum, { charge_amount }) => sum + Math.round(charge_amount * 100), 0)
  if (cents > budget * 100) throw new OverBudget(`This would charge ${cents / 100}; the budget is ${budget}.`)

  return Promise.all(orders.map(({ body, options }) => vps.instances.createAndWait(body, options)))
}

// Run, not imported by a test.
if (realpathSync(process.argv[1] ?? "") === import.meta.filename) {
  const [budget, ...names] = process.argv.slice(2)
  const vps = new Vps()
  const fleet = await ensureFleet(vps, names, Number(budget))
  for (const [index, { ipv4 }] of fleet.entries()) console.log(`${names[index]}  ${ipv4}`)
}
