/**
 * Buys a server, names it, and sets its PTR record. Run it as often as you like: the key makes it the same server and
 * one charge.
 *
 *   VPS_BASE_URL=https://host/api/v1 VPS_API_KEY=vps_live_... node index.ts [key] [hostname]
 */
import { Vps, VpsError } from "pulumi-vps"

const [key = "automation-script-web-1", hostname = "web-1.example.com"] = process.argv.slice(2)

// Reads VPS_BASE_URL and VPS_API_KEY. Passing failures are retried; a purchase is repeated with the same key only.
await using vps = new Vps()

const choosePlan = async () => {
  const plans = (await vps.services.list()).toSorted((a, b) => a.price - b.price)
  console.log("Plans:")
  for (const { billing_cycle, id, name, price } of plans) console.log(`  ${id}  ${name}, ${price} (${billing_cycle})`)
  const cheapest = plans.find(({ category }) => category === "vps")
  if (cheapest === undefined) throw new Error("The catalogue has no VPS plan.")
  return cheapest
}

const buy = async () => {
  const plan = await choosePlan()
  const order = { service_id: plan.id, hostname, os: "debian-12" }
  const options = { idempotencyKey: key }

  // Asked with the key, the dry run also knows whether this purchase was made before.
  const preview = await vps.instances.dryRun(order, options)
  console.log(`Buying ${plan.name} with key "${key}" charges ${preview.charge_amount} ${preview.currency};`)
  console.log(`the wallet holds ${preview.wallet_balance} ${preview.currency}.`)
  if (!preview.sufficient_funds) throw new Error("The wallet is too low: nothing was bought.")

  const bought = vps.instances.createAndWait(order, {
    ...options,
    onProgress: ({ elapsed, instance }) => console.log(`  ${instance.status} after ${(elapsed / 1000).toFixed(1)} s`)
  })
  const { data: instance, response } = await bought.withResponse()
  const before = response.headers["idempotent-replayed"] === "true"
  console.log(
    `Server ${instance.id} at ${instance.ipv4}: ${before ? "it was bought before, nothing charged" : "bought"}.`
  )
  return instance
}

try {
  const { id, ipv4 } = await buy()
  // A create does not name a server that was bought before under another name: this does.
  await vps.instances.hostname(id, { hostname })
  await vps.instances.rdns(id, { ip: ipv4 ?? "", ptr: hostname })
  console.log(`It is called ${hostname}, and ${ipv4} resolves to ${hostname}.`)
} catch (error) {
  if (!(error instanceof VpsError)) throw error
  // One class per status; each carries what support asks for, and the key with which to go on.
  console.error(`${error.message}\nRun it again with key "${key}": a purchase that went through is not repeated.`)
  process.exitCode = 1
}
