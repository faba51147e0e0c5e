/** The shared state of one provider process: its caches, the mutex, and what it has observed. */
import { accountIdOf } from "@pulumi-vps/sdk/client/host/AccountId"
import type { Instance, Scope } from "@pulumi-vps/sdk/client/Records"
import { type Api, type ApiContext, panelOf } from "../api/Api.ts"
import { statusOf, UserError } from "../api/Errors.ts"
import { InstanceListCache } from "../purchase/InstanceListCache.ts"
import { PurchaseHistory } from "../purchase/PurchaseHistory.ts"
import type { DeletionPolicy, Settings } from "../Config.ts"
import type { Words } from "../HostWords.ts"
import { nameOf } from "../definition/Properties.ts"
import type { Host } from "../engine/Host.ts"
import { RenewalWarnings } from "../purchase/RenewalWarnings.ts"
import { Wallet } from "../purchase/Wallet.ts"
import { InstanceWatcher } from "../waiting/InstanceWatcher.ts"
import { Mutex } from "../waiting/Retry.ts"
import {
  describeAccount,
  elsewhere,
  foreign,
  type Identity,
  isOther,
  type KeyAccount,
  otherInstance,
  placeOf,
  serviceIn
} from "./Identity.ts"
import type { Stacks } from "../orphans/Orphans.ts"

export class Session implements ApiContext {
  readonly api: Api
  readonly settings: Settings
  readonly host: Host
  readonly stacks: Stacks
  /**
   * True when programs name each purchase, within a scope that they have to set: the name alone says which instance is
   * meant, at any time. Without it, a name that was bought a day ago may belong to another stack.
   */
  readonly hasNamedPurchases: boolean
  /** For messages. */
  readonly words: Words
  /** The service and the key: see `placeOf`. */
  readonly place: string | undefined
  readonly mutex = new Mutex()
  readonly watcher: InstanceWatcher
  readonly instanceList: InstanceListCache
  readonly purchases: PurchaseHistory
  readonly wallet: Wallet
  readonly renewalWarnings: RenewalWarnings
  /** The policies under which `diff` accepted a replacement, by instance id: the delete of the same run uses them. */
  readonly acceptedPolicies = new Map<number, DeletionPolicy>()
  /**
   * URNs that went through `check`. A `diff` of another one belongs to a refresh, which only shows changes made
   * elsewhere: an error about correcting them would fail the refresh and hide them.
   */
  readonly plannedUrns = new Set<string>()
  /** The purchase keys in the state, by URN, of the resources that went through `check`. */
  readonly keysInState = new Map<string, unknown>()
  /**
   * The instances that their resources keep through a replacement (a taint, `-replace`), by URN, with the keys that
   * bought them. Only a host that shows such a replacement in its plan fills it.
   */
  readonly continued = new Map<string, { readonly id: number; readonly key: string }>()
  /** The identities in the state, by instance id. */
  readonly identities = new Map<number, Identity>()
  /** The instances that were read without a state, by URN: for an import, or for a program's `get`. */
  readonly readAsNew = new Map<string, { readonly id: number; readonly userId: unknown }>()
  readonly #retained = new Map<string, string>()
  readonly #claims = new Map<string, string>()
  readonly #memoized = new Map<string, Promise<unknown>>()
  readonly #lines = new Set<string>()
  #whoami: ReturnType<Api["whoami"]> | undefined

  constructor(api: Api, settings: Settings, host: Host, stacks: Stacks, hasNamedPurchases = false) {
    this.api = api
    this.settings = settings
    this.words = settings.words
    this.host = host
    this.stacks = stacks
    this.hasNamedPurchases = hasNamedPurchases
    this.place = placeOf(settings)
    this.watcher = new InstanceWatcher(api, host, settings.words)
    this.instanceList = new InstanceListCache(api, host)
    this.purchases = new PurchaseHistory(this.instanceList)
    this.wallet = new Wallet(api, settings, host, this.purchases)
    this.renewalWarnings = new RenewalWarnings(this.wallet, this.instanceList, host, () => this.panel(), settings.words)
  }

  /**
   * Records that this resource id stays in the state: it was created or adopted now, or a `diff` required no
   * replacement. A later delete of the same id in this process is then the old half of a replacement that led to the
   * same instance (`up --replace`, or a delete left over from a crash), and must not touch it.
   * @throws UserError when another resource of the stack has the same id: it was imported twice.
   */
  retain(id: string, urn: string): void {
    const other = this.#retained.get(id)
    const { program, removeFromState, stack } = this.words
    if (other !== undefined && other !== urn) {
      throw new UserError(
        `${nameOf(urn)}: ${id.includes("/") ? id : `instance ${id}`} is already managed by ${nameOf(other)} in this `
          + `${stack}. Two resources cannot manage the same one: remove one of them from the ${program}, and from the `
          + `state with ${removeFromState}. Nothing was changed.`
      )
    }
    this.#retained.set(id, urn)
  }

  /** The URN of the resource that retains this id; undefined if none does. */
  retainedBy(id: string): string | undefined {
    return this.#retained.get(id)
  }

  /**
   * Claims a name for a resource, in `check`; returns the URN of another one that has already claimed it. Two resources
   * with one name would each take the other's object for their own.
   */
  claim(name: string, urn: string): string | undefined {
    const owner = this.#claims.get(name)
    if (owner === undefined) this.#claims.set(name, urn)
    return owner === urn ? undefined : owner
  }

  /** Runs `work` at most once per name in this process; later calls get the first result. */
  memoize<A>(name: string, work: () => Promise<A>): Promise<A> {
    const result = this.#memoized.get(name) ?? work()
    this.#memoized.set(name, result)
    // A name stands for one kind of work, which always has the same result type.
    return result as Promise<A>
  }

  /** True for a line that this process has not shown yet. */
  isFirst(line: string): boolean {
    const isFirst = !this.#lines.has(line)
    this.#lines.add(line)
    return isFirst
  }

  /** The identity behind the API key, as the host shows it; cached. */
  whoami(): ReturnType<Api["whoami"]> {
    this.#whoami ??= this.api.whoami().catch((error: unknown) => {
      this.#whoami = undefined
      throw error
    })
    return this.#whoami
  }

  /** The account of the API key. Where the host does not return it, that of an instance. */
  async account(): Promise<KeyAccount> {
    const who = await this.whoami()
    const listed = who.account_id === undefined ? await this.instanceList.all() : undefined
    return { id: accountIdOf(who, listed?.values() ?? []), email: who.email }
  }

  /** The panel's address; undefined if it is unknown. */
  panel(): Promise<string | undefined> {
    return this.memoize("panel", () => panelOf(this.api))
  }

  /** @throws UserError that the account has no such instance, for a 404; any other error as it is. */
  async failNotFound(error: unknown, name: string, id: number | string, consequence: string): Promise<never> {
    if (statusOf(error) !== 404) throw error
    const account = describeAccount(await this.account())
    throw new UserError(`${name}: instance ${id} not found in ${account}${consequence}`)
  }

  /**
   * Warns, once per process, when the key lacks the scope for a planned operation, and returns false. It does not fail:
   * a preview may run with a key that cannot apply it.
   */
  preflight(scope: Scope, operation: string): Promise<boolean> {
    return this.memoize(`preflight ${scope}`, async () => {
      const missing = await this.missingScope(scope, operation)
      if (missing !== undefined) this.host.warn(`${missing}: an update with this key will fail`)
      return missing === undefined
    })
  }

  /** Says that the key lacks the scope for an operation; undefined when it has it, or when that is unknown. */
  async missingScope(scope: Scope, operation: string): Promise<string | undefined> {
    // An error here would say less than the same error of the operation itself.
    const whoami = await this.whoami().catch(() => undefined)
    const scopes: ReadonlyArray<string> | undefined = whoami?.key?.effective_scopes
    if (scopes === undefined || scopes.includes(scope)) return undefined
    const has = scopes.length === 0 ? "no scope" : scopes.join(", ")
    return `the API key has ${has}, but ${operation} needs ${scope}`
  }

  /**
   * Observes an instance of the state, from the cached list where that has it.
   * @throws UserError like `observe`.
   */
  async observeListed(id: number, identity: Identity): Promise<Instance | undefined> {
    const listed = (await this.instanceList.all()).get(id)
    return listed === undefined ? await this.observe(id, identity) : this.#verified(listed, identity)
  }

  /**
   * Observes an instance of the state; undefined when it is proved to be gone. A 404 is a proof only at the service in
   * the state, with a key of the account in the state.
   * @throws UserError when this is another service, account or instance, or the state has no account.
   */
  async observe(id: number, identity: Identity): Promise<Instance | undefined> {
    try {
      return this.#verified(await this.api.get(id), identity)
    } catch (error) {
      if (statusOf(error) !== 404) throw error
    }
    const account = await this.account()
    if (this.#isElsewhere(identity)) throw elsewhere(id, identity, this.settings)
    // The key that bought it belongs to the account, whether the host shows that or not.
    const isSameKey = this.place !== undefined && this.place === identity.place
    if (identity.userId !== undefined && identity.userId === account.id) return undefined
    if (account.id === undefined && isSameKey) return undefined
    throw foreign(id, identity, account, this.settings)
  }

  /**
   * For `diff`, which observes no instance: a change of the account or the service is refused before anything happens.
   * A service that does not answer is reported by the first operation. Sends no request with the key in the state.
   * @throws UserError when this is another service, account or instance.
   */
  async assertReachable(id: number, identity: Identity): Promise<void> {
    if (identity.orderId !== undefined) this.identities.set(id, identity)
    if (this.place === undefined || this.place === identity.place) return
    if (this.#isElsewhere(identity)) {
      await this.memoize(`reachable ${id}`, () => this.observe(id, identity))
      return
    }
    const account = await this.memoize("account of diffs", () => this.account().catch(() => undefined))
    if (account !== undefined && account.id === undefined) {
      // The host does not show the account: the instance itself shows whether the key is one of its owner.
      await this.memoize(`reachable ${id}`, () => this.observeListed(id, identity))
      return
    }
    if (account?.id === undefined || identity.userId === undefined || identity.userId === account.id) return
    throw foreign(id, identity, account, this.settings)
  }

  #isElsewhere({ place }: Identity): boolean {
    return place !== undefined && serviceIn(place) !== serviceIn(this.place)
  }

  /** Undefined: the service shows that it was deleted. */
  #verified(instance: Instance, identity: Identity): Instance | undefined {
    if (isOther(instance, identity)) throw otherInstance(instance, identity, this.settings)
    return instance.status === "deleted" ? undefined : instance
  }
}
