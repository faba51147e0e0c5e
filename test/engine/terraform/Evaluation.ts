/** The configuration of `main.tf.json`, and its expressions: paths such as "${vps_instance.web.ipv4}" alone. */
import { existsSync, readFileSync } from "node:fs"
import { UNKNOWN } from "#provider/definition/Properties"
import type { State } from "#provider/terraform-host/Schema"

export interface Block {
  readonly mode: "managed" | "data"
  readonly type: string
  readonly name: string
  /** "vps_instance.web" */
  readonly address: string
  readonly body: Readonly<Record<string, unknown>>
  /** The addresses that it refers to. */
  readonly needs: ReadonlyArray<string>
}

export interface Configuration {
  readonly provider: State
  /** In an order in which each comes after those that it refers to. */
  readonly blocks: ReadonlyArray<Block>
}

type Blocks = Readonly<Record<string, Readonly<Record<string, Block["body"]>>>>

const WHOLE = /^\$\{([^}]+)\}$/
const REFERENCE = /(?:data\.)?vps_\w+\.\w+/g

const blocksOf = (mode: Block["mode"], blocks: Blocks = {}): ReadonlyArray<Block> =>
  Object.entries(blocks).flatMap(([type, named]) =>
    Object.entries(named).map(([name, body]) => ({
      mode,
      type,
      name,
      address: `${mode === "data" ? "data." : ""}${type}.${name}`,
      body,
      needs: [...JSON.stringify(body).matchAll(REFERENCE)].map(([path]) => path)
    }))
  )

const ordered = (blocks: ReadonlyArray<Block>): ReadonlyArray<Block> => {
  const done = new Set<Block>()
  const visit = (block: Block): void => {
    if (done.has(block)) return
    for (const need of block.needs) blocks.filter(({ address }) => address === need).forEach(visit)
    done.add(block)
  }
  blocks.forEach(visit)
  return [...done]
}

export const readConfiguration = (): Configuration => {
  const text = existsSync("main.tf.json") ? readFileSync("main.tf.json", "utf8") : "{}"
  const { data, provider, resource } = JSON.parse(text) as {
    readonly provider?: { readonly vps: State }
    readonly resource?: Blocks
    readonly data?: Blocks
  }
  return {
    provider: provider?.vps ?? {},
    blocks: ordered([...blocksOf("data", data), ...blocksOf("managed", resource)])
  }
}

const at = (values: ReadonlyMap<string, State>, path: string): unknown => {
  const [address = ""] = path.match(REFERENCE) ?? []
  const steps = path.slice(address.length).split(/[.[\]]+/).filter((step) => step !== "")
  const step = (value: unknown, name: string) =>
    value === UNKNOWN ? UNKNOWN : (value as Readonly<Record<string, unknown>>)[name]
  return steps.reduce(step, values.get(address) as unknown)
}

export const evaluate = (values: ReadonlyMap<string, State>, value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((one) => evaluate(values, one))
  if (typeof value === "string") {
    const [, path] = WHOLE.exec(value) ?? []
    return path === undefined ? value : at(values, path)
  }
  if (value === null || typeof value !== "object") return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, evaluate(values, one)]))
}
