/** The differences that the engine shows: property by property, with the kind of each change. */
import type { PropertyDiff } from "@pulumi/pulumi/proto/provider_pb.js"
import { type Properties, same } from "../definition/Properties.ts"
import type { Difference } from "../session/Lifecycle.ts"
import { provider } from "./Proto.ts"

type Fields = Readonly<Record<string, unknown>>
type Kind = "ADD" | "DELETE" | "UPDATE"

export interface Detail {
  readonly path: string
  readonly kind: Kind
  readonly replaces: boolean
  /** Compared with the inputs in the state; otherwise with the outputs: drift that no input shows. */
  readonly ofInputs: boolean
}

const isObject = (value: unknown): value is Fields =>
  value !== null && typeof value === "object" && !Array.isArray(value)

const PLAIN = /^[A-Za-z_$][\w$]*$/

const within = (path: string, name: string): string =>
  PLAIN.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`

/** The innermost values that differ. */
const leaves = (path: string, before: unknown, after: unknown): ReadonlyArray<readonly [string, Kind]> => {
  if (same(before, after)) return []
  if (before === undefined || before === null) return [[path, "ADD"]]
  if (after === undefined || after === null) return [[path, "DELETE"]]
  if (!isObject(before) || !isObject(after)) return [[path, "UPDATE"]]
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].flatMap((name) => leaves(within(path, name), before[name], after[name]))
}

/** `inputs` and `outputs` are those in the state. */
export const detailsOf = (
  { changed, replaces }: Difference,
  inputs: Properties,
  outputs: Properties,
  news: Properties
): ReadonlyArray<Detail> =>
  changed.flatMap((name) => {
    const ofInputs = !same(inputs[name], news[name])
    // A pending output is not an input, and has no new value to show.
    const found = news[name] === undefined && !ofInputs
      ? []
      : leaves(name, ofInputs ? inputs[name] : outputs[name], news[name])
    const details: typeof found = found.length === 0 ? [[name, "UPDATE"]] : found
    return details.map(([path, kind]) => ({ path, kind, replaces: replaces.includes(name), ofInputs }))
  })

export const toMessage = ({ kind, ofInputs, replaces }: Detail): PropertyDiff => {
  const message = new provider.PropertyDiff()
  message.setKind(provider.PropertyDiff.Kind[replaces ? `${kind}_REPLACE` as const : kind])
  message.setInputdiff(ofInputs)
  return message
}
