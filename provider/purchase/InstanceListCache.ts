/**
 * The account's instances, listed once for all calls within a short time, because a refresh reads hundreds, one by one.
 */
import type { Instance } from "@pulumi-vps/sdk/client/Records"
import type { Host } from "../engine/Host.ts"
import type { Api } from "../api/Api.ts"

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
