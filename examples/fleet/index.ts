/**
 * Ten instances of different sizes, and their total cost.
 *
 * Shows: plans by slug instead of ID, a limit on the charges of an update, the total of the renewals as a stack output,
 * and a resize: change a size and run `pulumi preview`.
 *
 *   pulumi stack init fleet
 *   VPS_BASE_URL=https://host/api/v1 VPS_API_KEY=vps_live_... VPS_MAX_CHARGE_PER_UPDATE=100 pulumi up
 */
import { costSummary, getPlans, Instance } from "pulumi-vps/provider"

const FLEET = {
  "web-1": "vps-s",
  "web-2": "vps-s",
  "web-3": "vps-s",
  "web-4": "vps-s",
  "worker-1": "vps-m",
  "worker-2": "vps-m",
  "worker-3": "vps-m",
  "queue": "vps-s",
  "database": "vps-l",
  "replica": "vps-l"
}

const plans = await getPlans()
const planId = (slug: string): number => {
  const plan = plans.find((one) => one.slug === slug)
  if (plan === undefined) throw new Error(`Plan ${slug} not found. Available: ${plans.map((one) => one.slug)}.`)
  return plan.id
}

const instances = Object.entries(FLEET).map(([name, size]) =>
  new Instance(name, {
    serviceId: planId(size),
    hostname: `${name}.example.com`,
    os: "debian-12",
    // Takes a snapshot before each resize.
    snapshotBefore: "before-resize",
    // Contracts cannot be canceled: destroy stops the instances and says until when they are paid for.
    deletionPolicy: "stop"
  })
)

export const addresses = Object.fromEntries(Object.keys(FLEET).map((name, index) => [name, instances[index]!.ipv4]))
export const cost = costSummary(instances)
