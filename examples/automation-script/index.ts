/**
 * Buys an instance and sets its hostname and PTR record. It is safe to run again: the idempotency key makes it the same
 * instance and one charge.
 *
 *   VPS_BASE_URL=https://host/api/v1 VPS_API_KEY=vps_live_... node index.ts [key] [hostname]
 */
import { Vps, VpsError } from "@pulumi-vps/sdk"

const [key = "automation-script-web-1", hostname = "web-1.example.com"] = process.argv.slice(2)

// Reads VPS_BASE_URL and VPS_API_KEY. Transient failures are retried; purchases always with the same key.
const vps = new Vps()

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

  // With the key, the dry run shows no charge if this purchase was made before.
  const preview = await vps.instances.dryRun(order, options)
  console.log(`Buying ${plan.name} with key "${key}" charges ${preview.charge_amount} ${preview.currency};`)
  console.log(`the wallet balance is ${preview.wallet_balance} ${preview.currency}.`)
  if (!preview.sufficient_funds) throw new Error("Insufficient funds. Nothing was bought.")

  const bought = vps.instances.createAndWait(order, {
    ...options,
    onProgress: ({ elapsed, instance }) => console.log(`  ${instance.status} after ${(elapsed / 1000).toFixed(1)} s`)
  })
  const { data: instance, response } = await bought.withResponse()
  const replayed = response.headers["idempotent-replayed"] === "true"
  console.log(
    `Instance ${instance.id} at ${instance.ipv4}: ${replayed ? "bought before, nothing charged" : "bought"}.`
  )
  return instance
}

try {
  const { id, ipv4 } = await buy()
  // A replayed create does not change the hostname, so it is set here.
  await vps.instances.hostname(id, { hostname })
  await vps.instances.rdns(id, { ip: ipv4 ?? "", ptr: hostname })
  console.log(`Its hostname is ${hostname}, and ${ipv4} resolves to ${hostname}.`)
} catch (error) {
  if (!(error instanceof VpsError)) throw error
  // There is one class per status. Errors include the request ID for support, and the key to resume with.
  console.error(`${error.message}\nRun it again with key "${key}". A completed purchase is not repeated.`)
  process.exitCode = 1
}
