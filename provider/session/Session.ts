/** What one process of one provider shares: every cache, the mutex, and what it has learnt about instances. */
import type { Instance } from "#contract/Instance"
import type { Scope } from "#contract/Scope"
import type { DeletionPolicy, Settings } from "../Config.ts"
import { PurchaseHistory } from "../purchase/PurchaseHistory.ts"
import { RenewalWarnings } from "../purchase/RenewalWarnings.ts"
import { Wallet } from "../purchase/Wallet.ts"
import { InstanceListCache } from "../api/InstanceListCache.ts"
import { Mutex } from "../waiting/Mutex.ts"
import type { Api } from "../api/Api.ts"
import type { Host } from "../engine/Host.ts"
import { statusOf, UserError } from "../api/Errors.ts"
import { InstanceWatcher } from "../waiting/InstanceWatcher.ts"

export class Session {
  readonly api: Api
  readonly settings: Settings
  readonly host: Host
  readonly mutex = new Mutex()
  readonly watcher: InstanceWatcher
  readonly instanceList: InstanceListCache
  readonly purchases: PurchaseHistory
  readonly wallet: Wallet
  readonly renewalWarnings: RenewalWarnings
  /** Policies under which `diff` let an old server go, by instance id: the delete of the same run uses them. */
  readonly acceptedPolicies = new Map<number, DeletionPolicy>()
  /**
   * URNs that `check` was asked about. A `diff` of another one belongs to a refresh, which only shows what was changed
   * from outside: an objection to putting it right would fail the refresh, and hide the change.
   */
  readonly plannedUrns = new Set<string>()
  readonly #keepers = new Map<string, string>()
  readonly #claims = new Map<string, string>()
  readonly #done = new Map<string, Promise<unknown>>()
  readonly #said = new Set<string>()
  #account: ReturnType<Api["whoami"]> | undefined

  constructor(api: Api, settings: Settings, host: Host) {
    this.api = api
    this.settings = settings
    this.host = host
    this.watcher = new InstanceWatcher(api, host)
    this.instanceList = new InstanceListCache(api, host)
    this.purchases = new PurchaseHistory(this.instanceList)
    this.wallet = new Wallet(api, settings, host)
    this.renewalWarnings = new RenewalWarnings(this.wallet, this.instanceList, host)
  }

  /**
   * Remembers that the state goes on holding this resource id: created or adopted now, or seen in a `diff` that asked
   * for no replacement. A later delete of the same id in this process is then the old half of a replacement that led
   * to the same thing (`up --replace`, or a delete left over from a crash), and must not touch it.
   */
  retain(id: string, urn: string): void {
    this.#keepers.set(id, urn)
  }

  /** The URN of the resource that goes on holding this id, as far as this process has seen. */
  retainedBy(id: string): string | undefined {
    return this.#keepers.get(id)
  }

  /**
   * Takes a name for a resource of the program, in `check`; answers the URN of another one that has it already. Two
   * resources under one name would each take what the other made for their own.
   */
  claim(name: string, urn: string): string | undefined {
    const owner = this.#claims.get(name)
    if (owner === undefined) this.#claims.set(name, urn)
    return owner === urn ? undefined : owner
  }

  /** Does something at most once in this process; whoever asks again gets the first result. */
  memoize<A>(name: string, work: () => Promise<A>): Promise<A> {
    const result = this.#done.get(name) ?? work()
    this.#done.set(name, result)
    // A name stands for one kind of work, which always has the same result type.
    return result as Promise<A>
  }

  /** Is this the first time that it is to be said in this process? */
  isFirst(line: string): boolean {
    const isNew = !this.#said.has(line)
    this.#said.add(line)
    return isNew
  }

  /** The account of the key in use; asked once. */
  account(): ReturnType<Api["whoami"]> {
    this.#account ??= this.api.whoami().catch((error: unknown) => {
      this.#account = undefined
      throw error
    })
    return this.#account
  }

  /**
   * Warns, once per process, when the key has not the scope that what is planned needs: `doing` names it. No failure:
   * a preview may be made with a key that can't do what it shows.
   */
  async preflight(scope: Scope, doing: string): Promise<void> {
    await this.memoize(`preflight ${scope}`, async () => {
      // Whatever keeps us from asking says more when it meets the work itself.
      const whoami = await this.account().catch(() => undefined)
      const scopes: ReadonlyArray<string> | undefined = whoami?.key?.effective_scopes
      if (scopes === undefined || scopes.includes(scope)) return
      const has = scopes.length === 0 ? "no scope" : scopes.join(", ")
      this.host.warn(`the API key has ${has}, and ${doing} needs ${scope}: an update with this key will fail`)
    })
  }

  /**
   * Reads an instance that the state knows, from the shared list where that shows it.
   * @throws UserError like `observe`.
   */
  async observeListed(id: number, owner: number | undefined): Promise<Instance | undefined> {
    return (await this.instanceList.all()).get(id) ?? await this.observe(id, owner)
  }

  /**
   * Reads an instance that the state knows. A 404 counts as gone only when the key belongs to the account that the
   * state holds; undefined is that proof.
   * @throws UserError when the key belongs to another account, or the account that owned it is not known.
   */
  async observe(id: number, owner: number | undefined): Promise<Instance | undefined> {
    try {
      const instance = await this.api.get(id)
      return instance.status === "deleted" ? undefined : instance
    } catch (error) {
      if (statusOf(error) !== 404) throw error
    }
    const { account_id: account, email } = await this.account()
    if (owner === account) return undefined
    throw new UserError(
      owner === undefined
        ? `server ${id} is not in account ${account} (${email}), and the state does not say whose it is. `
          + "Nothing was changed; use the key of the account that owns it."
        : `server ${id} belongs to account ${owner}; this key is of account ${account} (${email}). `
          + "Nothing was changed and the state keeps it; set VPS_API_KEY to a key of "
          + `account ${owner}.`
    )
  }
}
