/** The state of a stack as one JSON file, written after every step, with secrets encrypted as the real engine does. */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import type { Pending, StateResource } from "../Stack.ts"
import type { KillSwitch } from "./KillSwitch.ts"
import type { Vault } from "./Vault.ts"
import type { Values } from "./Wire.ts"

export interface StoredResource extends StateResource {
  readonly inputs: Values
  readonly outputs: Values
  readonly custom: boolean
  readonly parent: string
  /** URNs of all that it was made from. */
  readonly dependencies: ReadonlyArray<string>
  /** The same, by input. */
  readonly propertyDependencies: Readonly<Record<string, ReadonlyArray<string>>>
  readonly protect: boolean
  readonly retainOnDelete: boolean
  /** Empty or undefined: deleted by itself. */
  readonly deletedWith?: string
}

export interface Document {
  readonly resources: ReadonlyArray<StoredResource>
  readonly pending: ReadonlyArray<Pending>
  /** The inputs of the plugin's default provider; undefined before the first update with it. */
  readonly provider?: Values
}

const EMPTY: Document = { resources: [], pending: [] }

export const readDocument = (file: string): Document =>
  existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) as Document : EMPTY

export class State {
  readonly #file: string
  readonly #vault: Vault
  readonly #cut: KillSwitch
  #dirty = false
  resources: Array<StoredResource>
  pending: Array<Pending>
  #provider: Values | undefined

  constructor(file: string, vault: Vault, cut: KillSwitch) {
    this.#file = file
    this.#vault = vault
    this.#cut = cut
    const { pending, provider, resources } = readDocument(file)
    this.#provider = provider && vault.open(provider)
    this.resources = resources.map((one) => ({
      ...one,
      inputs: vault.open(one.inputs),
      outputs: vault.open(one.outputs)
    }))
    this.pending = [...pending]
  }

  get provider(): Values | undefined {
    return this.#provider
  }

  set provider(inputs: Values) {
    this.#provider = inputs
    this.#dirty = true
  }

  find(urn: string): StoredResource | undefined {
    return this.resources.find((one) => one.urn === urn && !one.delete)
  }

  begin(type: Pending["type"], urn: string): void {
    this.pending.push({ type, urn })
    this.save()
  }

  /** Ends the operation that this run began; one that a crash left behind stays, as in the real engine. */
  finish(type: Pending["type"], urn: string): void {
    const index = this.pending.findLastIndex((one) => one.type === type && one.urn === urn)
    this.pending.splice(index, 1)
    this.save()
  }

  /** Replaces the live resource of the same URN, or adds it. */
  put(resource: StoredResource): void {
    const index = this.resources.findIndex((one) => one.urn === resource.urn && !one.delete)
    if (index < 0) this.resources.push(resource)
    else this.resources[index] = resource
    this.#dirty = true
  }

  /** Puts another record in the place of this one. */
  change(old: StoredResource, now: StoredResource): void {
    this.resources = this.resources.map((one) => one === old ? now : one)
    this.#dirty = true
  }

  /** Replaces the URN of a resource in every reference to it. */
  rename(before: string, after: string): void {
    const named = (urn: string): string => urn === before ? after : urn
    this.resources = this.resources.map((one) => ({
      ...one,
      urn: named(one.urn),
      parent: named(one.parent),
      deletedWith: named(one.deletedWith ?? ""),
      dependencies: one.dependencies.map(named),
      propertyDependencies: Object.fromEntries(
        Object.entries(one.propertyDependencies).map(([name, urns]) => [name, urns.map(named)])
      )
    }))
  }

  remove(resource: StoredResource): void {
    this.resources = this.resources.filter((one) => one !== resource)
    this.#dirty = true
  }

  /** Operations are stored as they begin and end; what is not one is stored with the next of them, or at the end. */
  flush(): void {
    if (this.#dirty) this.save()
  }

  /** A crash leaves either the old file or the new one. */
  save(): void {
    if (this.#cut.dead) return
    this.#dirty = false
    const resources = this.resources.map((one) => ({
      ...one,
      inputs: this.#vault.seal(one.inputs),
      outputs: this.#vault.seal(one.outputs)
    }))
    const provider = this.#provider && { provider: this.#vault.seal(this.#provider) }
    const document: Document = { resources, pending: this.pending, ...provider }
    writeFileSync(`${this.#file}.new`, JSON.stringify(document, undefined, 2))
    renameSync(`${this.#file}.new`, this.#file)
  }
}
