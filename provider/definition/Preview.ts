/** The outputs that a host shows before a create or an update; values that do not change stay known. */
import type { Change, Definition } from "./Definition.ts"
import { present, type Properties, same, UNKNOWN } from "./Properties.ts"

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
