/** The account's instances by one call for all who ask within a short time: a refresh reads hundreds, one by one. */
import type { Instance } from "#contract/Instance"
import type { Api } from "./Api.ts"
import type { Host } from "../engine/Host.ts"

/** ms; what is older is asked for again. A refresh of some hundred resources takes about that long. */
const FRESH = 5_000

export class InstanceListCache {
  readonly #api: Pick<Api, "list">
  readonly #host: Pick<Host, "now">
  #asked: { readonly at: number; readonly instances: Promise<ReadonlyMap<number, Instance>> } | undefined

  constructor(api: Pick<Api, "list">, host: Pick<Host, "now">) {
    this.#api = api
    this.#host = host
  }

  /** By id; at most 5 s old. */
  all(): Promise<ReadonlyMap<number, Instance>> {
    const now = this.#host.now()
    if (this.#asked === undefined || now - this.#asked.at > FRESH) {
      this.#asked = { at: now, instances: this.#load() }
    }
    return this.#asked.instances
  }

  async #load(): Promise<ReadonlyMap<number, Instance>> {
    try {
      return new Map((await this.#api.list()).map((instance) => [instance.id, instance]))
    } catch (error) {
      // Who comes next asks again.
      this.#asked = undefined
      throw error
    }
  }
}
