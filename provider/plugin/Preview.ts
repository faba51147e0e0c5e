/** Outputs before anything is done: what is known stays known, and what will change is not known yet. */
import type { Change, Definition } from "../definition/Definition.ts"
import { present, type Properties, same, UNKNOWN } from "../definition/Properties.ts"

/** After these everything but what is stable may be another. */
const HEAVY: ReadonlySet<Change> = new Set(["power cycle", "data loss"])

/** Of a create; `foreseen` are outputs that are known already. */
export const previewCreate = (
  { inputs, outputs }: Definition,
  given: Properties,
  foreseen: Properties
): Properties => {
  const chosen = Object.keys(inputs).filter((name) => inputs[name]?.serverChosen === true)
  const unknown = [...Object.keys(outputs), ...chosen].map((name) => [name, UNKNOWN])
  return { ...Object.fromEntries(unknown), ...present(given), ...foreseen }
}

/** Of an update, from what the outputs are and what the inputs will be. */
export const previewUpdate = (
  { inputs, outputs }: Definition,
  olds: Properties,
  news: Properties
): Properties => {
  const changed = Object.keys(inputs).filter((name) => news[name] !== undefined && !same(olds[name], news[name]))
  const heavy = changed.some((name) => HEAVY.has(inputs[name]?.change ?? "nothing"))
  const later = changed.filter((name) => inputs[name]?.deferred === true)
  const unsettled = Object.entries(outputs).filter(([name, { deferred: waits, optional, stable }]) => {
    // What is missing and need not be is what this update goes on waiting for.
    if (olds[name] === undefined && optional !== true) return true
    return stable !== true && (heavy || (waits === true && later.length > 0))
  }).map(([name]) => name)
  const rotated = changed.includes("passwordRotation") ? ["rootPassword"] : []
  const unknown = [...unsettled, ...later, ...rotated].map((name) => [name, UNKNOWN])
  return { ...olds, ...present(news), ...Object.fromEntries(unknown) }
}

/** Names of the outputs that an update leaves as they are. */
export const stableOutputs = ({ outputs }: Definition, olds: Properties): ReadonlyArray<string> =>
  Object.keys(outputs).filter((name) => outputs[name]?.stable === true && olds[name] !== undefined)
