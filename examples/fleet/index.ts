/**
 * Ten servers with sizes of their own, and what they cost together.
 *
 * Shows: plans chosen by name instead of by number, a size per server, a limit on what one update may charge, the sum
 * of the renewals as a stack output, and a resize: change a size and look at `pulumi preview`.
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
const planCalled = (slug: string): number => {
  const plan = plans.find((one) => one.slug === slug)
  if (plan === undefined) throw new Error(`No plan is called ${slug}; there are ${plans.map((one) => one.slug)}.`)
  return plan.id
}

const servers = Object.entries(FLEET).map(([name, size]) =>
  new Instance(name, {
    serviceId: planCalled(size),
    hostname: `${name}.example.com`,
    os: "debian-12",
    // Before a resize: should it go wrong, the disk as it was is there.
    snapshotBefore: "before-resize",
    // The contract goes on; a destroyed fleet is powered off, and says until when it is paid.
    deletionPolicy: "stop"
  })
)

export const addresses = Object.fromEntries(Object.keys(FLEET).map((name, index) => [name, servers[index]!.ipv4]))
export const cost = costSummary(servers)
