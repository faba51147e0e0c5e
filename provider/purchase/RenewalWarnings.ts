/** Warns before a server is lost because its paid time ends and nobody noticed. */
import type { Instance } from "#contract/Instance"
import type { InstanceListCache } from "../api/InstanceListCache.ts"
import { formatMinor, minor } from "./Money.ts"
import type { Host } from "../engine/Host.ts"
import type { Properties } from "../definition/Properties.ts"
import { isEnded } from "../api/InstanceStatus.ts"
import type { Wallet } from "./Wallet.ts"

const DAYS = 7
/** ms; time enough to top up a wallet by bank transfer. */
const SOON = DAYS * 86_400_000

export class RenewalWarnings {
  readonly #wallet: Wallet
  readonly #listing: InstanceListCache
  readonly #host: Host
  readonly #judged = new Set<number>()
  /** Minor units by the name of the resource: what renews itself soon. */
  readonly #due = new Map<string, number>()
  #warned = false

  constructor(wallet: Wallet, listing: InstanceListCache, host: Host) {
    this.#wallet = wallet
    this.#listing = listing
    this.#host = host
  }

  /** For a resource that is only compared: nothing is asked unless what the state holds looks like trouble. */
  async compare(name: string, id: number, outputs: Properties): Promise<void> {
    if (!this.#isSoon(outputs["expiresAt"]) || this.#judged.has(id)) return
    // The state may be months old; a list that can't be had is no reason to fail here, the work itself will say why.
    const instance = (await this.#listing.all().catch(() => undefined))?.get(id)
    if (instance !== undefined) await this.judge(name, instance)
  }

  /** For one that was read just now. */
  async judge(name: string, instance: Instance): Promise<void> {
    const { auto_renew, expires_at, id, status } = instance
    if (this.#judged.has(id)) return
    this.#judged.add(id)
    if (status === "expired") {
      return this.#host.warn(
        `${name}: server ${id} has expired; a top-up of the wallet renews it, a new generation buys another`
      )
    }
    if (isEnded(status) || !this.#isSoon(expires_at)) return
    if (auto_renew === false) {
      return this.#host.warn(
        `${name}: server ${id} is paid until ${expires_at} and does not renew itself (auto_renew is off): it is then `
          + "powered off, and deleted some days later. To keep it, switch auto_renew on in the panel"
      )
    }
    await this.#add(name, instance)
  }

  #isSoon(expiresAt: unknown): boolean {
    return typeof expiresAt === "string" && Date.parse(expiresAt) - this.#host.now() < SOON
  }

  async #add(name: string, { order: { service, service_id } }: Instance): Promise<void> {
    this.#due.set(name, minor(service.pricing?.charge_amount ?? service.price))
    const total = [...this.#due.values()].reduce((sum, units) => sum + units, 0)
    const balance = this.#warned ? undefined : await this.#wallet.balanceFor(service_id)
    if (balance === undefined || balance.units >= total) return
    this.#warned = true
    const { currency, units } = balance
    this.#host.warn(
      `the wallet holds ${formatMinor(units, currency)}, and the renewals of the next ${DAYS} days cost at least `
        + `${formatMinor(total, currency)} (${[...this.#due.keys()].join(", ")}): top it up, or they expire`
    )
  }
}
