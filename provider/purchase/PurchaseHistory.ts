/** What the account has bought already, by purchase key: asked once per process, before anything is bought. */
import type { Instance } from "#contract/Instance"
import type { InstanceListCache } from "../api/InstanceListCache.ts"
import { orderedDetails } from "./InstanceDetails.ts"
import { purchaseKeyDigest } from "./PurchaseKey.ts"

export class PurchaseHistory {
  readonly #listing: InstanceListCache
  #byDigest: Promise<ReadonlyMap<string, Instance>> | undefined

  constructor(listing: InstanceListCache) {
    this.#listing = listing
  }

  /**
   * The instance that this key bought before this process began. It is found even when the API key was rotated since,
   * which an Idempotency-Key is not: those are scoped to the API key. Hosts that don't show the digest find nothing.
   */
  async find(key: string): Promise<Instance | undefined> {
    this.#byDigest ??= this.#load()
    return (await this.#byDigest).get(purchaseKeyDigest(key))
  }

  async #load(): Promise<ReadonlyMap<string, Instance>> {
    try {
      const instances = [...(await this.#listing.all()).values()]
      return new Map(instances.flatMap((instance) => {
        const digest = orderedDetails(instance).keyDigest
        return digest === undefined ? [] : [[digest, instance] as const]
      }))
    } catch (error) {
      // The next purchase asks again rather than believing that nothing was bought.
      this.#byDigest = undefined
      throw error
    }
  }
}
