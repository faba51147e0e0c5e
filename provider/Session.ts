/** What one process of one provider shares: every cache, the mutex, and what it has learnt about instances. */
import type { DeletionPolicy, Settings } from "./Config.ts"
import { Purchases } from "./instance/Purchases.ts"
import { Wallet } from "./instance/Wallet.ts"
import { Mutex } from "./Mutex.ts"
import type { Api, Host } from "./Ports.ts"
import { Problem, statusOf } from "./Problem.ts"
import { Watcher } from "./Watcher.ts"

export class Session {
  readonly api: Api
  readonly settings: Settings
  readonly host: Host
  readonly mutex = new Mutex()
  readonly watcher: Watcher
  readonly purchases: Purchases
  readonly wallet: Wallet
  /** Policies under which `diff` let an old server go, by instance id: the delete of the same run uses them. */
  readonly acceptedPolicies = new Map<number, DeletionPolicy>()
  readonly #keepers = new Map<string, string>()
  readonly #claims = new Map<string, string>()
  #account: ReturnType<Api["whoami"]> | undefined

  constructor(api: Api, settings: Settings, host: Host) {
    this.api = api
    this.settings = settings
    this.host = host
    this.watcher = new Watcher(api, host)
    this.purchases = new Purchases(api)
    this.wallet = new Wallet(api, settings, host)
  }

  /**
   * Remembers that the state goes on holding this resource id: created or adopted now, or seen in a `diff` that asked
   * for no replacement. A later delete of the same id in this process is then the old half of a replacement that led
   * to the same thing (`up --replace`, or a delete left over from a crash), and must not touch it.
   */
  keep(id: string, urn: string): void {
    this.#keepers.set(id, urn)
  }

  /** The URN of the resource that goes on holding this id, as far as this process has seen. */
  keeperOf(id: string): string | undefined {
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

  /** The account of the key in use; asked once. */
  account(): ReturnType<Api["whoami"]> {
    this.#account ??= this.api.whoami().catch((error: unknown) => {
      this.#account = undefined
      throw error
    })
    return this.#account
  }

  /**
   * Reads an instance that the state knows. A 404 counts as gone only when the key belongs to the account that the
   * state holds; undefined is that proof.
   * @throws Problem when the key belongs to another account, or the account that owned it is not known.
   */
  async observe(id: number, owner: number | undefined): Promise<Awaited<ReturnType<Api["get"]>> | undefined> {
    try {
      const instance = await this.api.get(id)
      return instance.status === "deleted" ? undefined : instance
    } catch (error) {
      if (statusOf(error) !== 404) throw error
    }
    const { account_id: account, email } = await this.account()
    if (owner === account) return undefined
    throw new Problem(
      owner === undefined
        ? `server ${id} is not in account ${account} (${email}), and the state does not say whose it is. `
          + "Nothing was changed; use the key of the account that owns it."
        : `server ${id} belongs to account ${owner}; this key is of account ${account} (${email}). `
          + "Nothing was changed and the state keeps it; set VPS_API_KEY to a key of "
          + `account ${owner}.`
    )
  }
}
