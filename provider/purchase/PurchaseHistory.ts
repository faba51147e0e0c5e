/**
 * The account's instances, listed once for all calls within a short time, because a refresh reads hundreds, one by
 * one; and its earlier purchases by purchase key, requested once per process, before anything is bought.
 */
import type { Instance } from "#sdk/client/Records"
import type { Host } from "../engine/Host.ts"
import type { Api } from "../api/Api.ts"
import type { Words } from "../Words.ts"
import { orderedDetails, showsKeyDigest } from "./InstanceDetails.ts"
import { createHash } from "node:crypto"

/** ms; an older list is requested again. A refresh of some hundred resources takes about that long. */
const MAX_AGE = 5_000

export class InstanceListCache {
  readonly #api: Pick<Api, "list">
  readonly #host: Pick<Host, "now">
  #cached: { readonly at: number; readonly instances: Promise<ReadonlyMap<number, Instance>> } | undefined

  constructor(api: Pick<Api, "list">, host: Pick<Host, "now">) {
    this.#api = api
    this.#host = host
  }

  /** By id; at most 5 s old. */
  all(): Promise<ReadonlyMap<number, Instance>> {
    const now = this.#host.now()
    if (this.#cached === undefined || now - this.#cached.at > MAX_AGE) {
      this.#cached = { at: now, instances: this.#load() }
    }
    return this.#cached.instances
  }

  async #load(): Promise<ReadonlyMap<number, Instance>> {
    try {
      return new Map((await this.#api.list()).map((instance) => [instance.id, instance]))
    } catch (error) {
      // A failure is not cached.
      this.#cached = undefined
      throw error
    }
  }
}

// The identity of a purchase, by which a second run finds the same instance.

export interface PurchaseIdentity {
  /** The setting `idempotencyScope`; empty when not set. */
  readonly scope: string
  /** The URN with its type written `vps:index:Instance`: the same from the dynamic provider and from the plugin. */
  readonly urn: string
  readonly generation: number
  /** The host's: two hosts share no purchase. */
  readonly prefix: Words["prefix"]
}

/**
 * The `Idempotency-Key` of the purchase. It does not depend on the body, because users correct the body between two
 * attempts, and it must never change between versions of this package, or a retry after an upgrade would buy again.
 */
export const purchaseKey = ({ generation, prefix, scope, urn }: PurchaseIdentity): string =>
  `${prefix}-${createHash("sha256").update(JSON.stringify([scope, urn, generation])).digest("hex")}`

/** The digest of a key that the service shows in `order.config`. */
export const purchaseKeyDigest = (key: string): string => createHash("sha256").update(key).digest("hex")

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
