/**
 * The differences and the previews that the engine shows: property by property, with the kind of each change;
 * values that do not change stay known.
 */
import type { PropertyDiff } from "@pulumi/pulumi/proto/provider_pb.js"
import { present, type Properties, same, UNKNOWN } from "../definition/Properties.ts"
import type { Difference } from "../session/Lifecycle.ts"
import { provider } from "./Proto.ts"
import type { Change, Definition } from "../definition/Definition.ts"

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

/** These may change every output that is not stable. */
const HEAVY: ReadonlySet<Change> = new Set(["power cycle", "data loss"])

/** The outputs of a create; `known` are those that are known already. */
export const previewCreate = (
  { inputs, outputs }: Definition,
  news: Properties,
  known: Properties
): Properties => {
  const chosen = Object.keys(inputs).filter((name) => inputs[name]?.serverChosen === true)
  const unknown = [...Object.keys(outputs), ...chosen].map((name) => [name, UNKNOWN])
  return { ...Object.fromEntries(unknown), ...present(news), ...known }
}

/** The outputs of an update, from the current outputs and the new inputs. */
export const previewUpdate = (
  { inputs, outputs }: Definition,
  olds: Properties,
  news: Properties
): Properties => {
  const changed = Object.keys(inputs).filter((name) => news[name] !== undefined && !same(olds[name], news[name]))
  const heavy = changed.some((name) => HEAVY.has(inputs[name]?.change ?? "nothing"))
  const later = changed.filter((name) => inputs[name]?.deferred === true)
  const unsettled = Object.entries(outputs).filter(([name, { deferred: waits, optional, stable }]) => {
    // A missing output that is not optional is one that this update waits for.
    if (olds[name] === undefined && optional !== true) return true
    return stable !== true && (heavy || (waits === true && later.length > 0))
  }).map(([name]) => name)
  const rotated = changed.includes("passwordRotation") ? ["rootPassword"] : []
  const unknown = [...unsettled, ...later, ...rotated].map((name) => [name, UNKNOWN])
  return { ...olds, ...present(news), ...Object.fromEntries(unknown) }
}

/** Names of the outputs that an update does not change. */
export const stableOutputs = ({ outputs }: Definition, olds: Properties): ReadonlyArray<string> =>
  Object.keys(outputs).filter((name) => outputs[name]?.stable === true && olds[name] !== undefined)
