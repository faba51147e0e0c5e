/** Warns before an instance is lost because its paid period ends. */
import type { Instance } from "@pulumi-vps/sdk/client/Records"
import type { InstanceListCache } from "./InstanceListCache.ts"
import { isEnded } from "../api/Errors.ts"
import type { Properties } from "../definition/Properties.ts"
import type { Host } from "../engine/Host.ts"
import { formatMinor, minor } from "./Money.ts"
import { autoRenewAdvice } from "./AutoRenewAdvice.ts"
import type { Wallet } from "./Wallet.ts"
import type { Words } from "../HostWords.ts"

const DAYS = 7
/** ms; time enough to top up a wallet by bank transfer. */
const SOON = DAYS * 86_400_000

export class RenewalWarnings {
  readonly #wallet: Wallet
  readonly #instanceList: InstanceListCache
  readonly #host: Host
  readonly #panel: () => Promise<string | undefined>
  readonly #words: Words
  readonly #checked = new Set<number>()
  /** The renewals that are due soon, in minor units by the name of the resource. */
  readonly #due = new Map<string, number>()
  #warned = false

  constructor(
    wallet: Wallet,
    instanceList: InstanceListCache,
    host: Host,
    panel: () => Promise<string | undefined>,
    words: Words
  ) {
    this.#words = words
    this.#panel = panel
    this.#wallet = wallet
    this.#instanceList = instanceList
    this.#host = host
  }

  /** Checks a resource that is only diffed: sends no request unless the paid period in the state ends soon. */
  async checkState(name: string, id: number, outputs: Properties): Promise<void> {
    if (!this.#isSoon(outputs["expiresAt"]) || this.#checked.has(id)) return
    // The state may be months old. An unavailable list is no reason to fail here: the operation itself will report it.
    const instance = (await this.#instanceList.all().catch(() => undefined))?.get(id)
    if (instance !== undefined) await this.check(name, instance, outputs)
  }

  /** Checks an instance that was just observed. */
  async check(name: string, instance: Instance, outputs: Properties): Promise<void> {
    const { auto_renew, expires_at, id, status } = instance
    if (this.#checked.has(id)) return
    this.#checked.add(id)
    if (status === "expired") {
      const way = outputs["adoptInstanceId"] === undefined
        ? "set"
        : `remove ${this.#words.input("adoptInstanceId")} and set`
      return this.#host.warn(
        `${name}: instance ${id} has expired. Top up the wallet to renew it, or ${way} a new generation to buy another `
          + "one"
      )
    }
    if (isEnded(status) || !this.#isSoon(expires_at)) return
    if (auto_renew === false) {
      const advice = autoRenewAdvice("on", id, await this.#panel())
      return this.#host.warn(
        `${name}: instance ${id} is paid until ${expires_at} and does not renew (auto_renew is off): it is powered off `
          + `then, and deleted some days later. To keep it, ${advice}`
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
      `the wallet balance is ${formatMinor(units, currency)}, but the renewals of the next ${DAYS} days cost at least `
        + `${formatMinor(total, currency)} (${[...this.#due.keys()].join(", ")}). Top up the wallet, or they expire`
    )
  }
}
