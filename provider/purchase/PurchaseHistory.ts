/** The earlier purchases of an account by purchase key, requested once per process, before anything is bought. */
import type { Instance } from "@pulumi-vps/sdk/client/Records"
import { orderedDetails, showsKeyDigest } from "./InstanceDetails.ts"
import type { InstanceListCache } from "./InstanceListCache.ts"
import { purchaseKeyDigest } from "./PurchaseKey.ts"

export class PurchaseHistory {
  readonly #instanceList: InstanceListCache
  #byDigest: Promise<ReadonlyMap<string, Instance>> | undefined

  constructor(instanceList: InstanceListCache) {
    this.#instanceList = instanceList
  }

  /**
   * The instance that this key bought before this process started. It is found even after the API key was rotated,
   * unlike an Idempotency-Key, which is scoped to the API key. Without a digest in the order nothing is found.
   */
  async find(key: string): Promise<Instance | undefined> {
    this.#byDigest ??= this.#load()
    return (await this.#byDigest).get(purchaseKeyDigest(key))
  }

  /** True when a purchase that is not found has no instance any more: the service lists purchases with their keys. */
  async isComplete(): Promise<boolean> {
    return [...(await this.#instanceList.all()).values()].every(showsKeyDigest)
  }

  async #load(): Promise<ReadonlyMap<string, Instance>> {
    try {
      const instances = [...(await this.#instanceList.all()).values()]
      return new Map(instances.flatMap((instance) => {
        const digest = orderedDetails(instance).keyDigest
        return digest === undefined ? [] : [[digest, instance] as const]
      }))
    } catch (error) {
      // The next purchase tries again, rather than assuming that nothing was bought.
      this.#byDigest = undefined
      throw error
    }
  }
}
