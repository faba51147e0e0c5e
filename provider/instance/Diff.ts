/** What differs between state and program, and what that asks for. Pure: the table of `Definition.ts` decides. */
import type { Change } from "../definition/Definition.ts"
import { isUnknown, present, type Properties, same } from "../definition/Properties.ts"
import { generationOf, INSTANCE_INPUTS } from "./Definition.ts"
import { sameHostname } from "./state/LastKnownState.ts"
import { declaredInputs, inputFrom } from "./state/Outputs.ts"

export interface InstanceDifference {
  /** Field names in the table's order, with what the change of each asks for. */
  readonly changes: ReadonlyArray<readonly [name: string, change: Change]>
}

/** What state holds for a field, as far as a change of it is concerned. */
const stored = (name: string, id: string, olds: Properties): unknown => {
  if (name === "adoptInstanceId") return Number(id)
  if (name === "generation") return generationOf(olds)
  return inputFrom(name, olds)
}

const wanted = (name: string, news: Properties): unknown => name === "generation" ? generationOf(news) : news[name]

const equal = (name: string, left: unknown, right: unknown): boolean =>
  name === "hostname" && typeof left === "string" && typeof right === "string"
    ? sameHostname(left, right)
    : same(left, right)

/** What can't be undone, or costs, is not done for a value that state does not know: that one is only taken note of. */
const RECORDED_FIRST: ReadonlySet<string> = new Set(["serviceId", "os", "reinstallTriggers", "adoptInstanceId"])

/**
 * `olds` are outputs, `news` inputs. An unknown value counts as unchanged: it must never look like a replacement.
 * A field that the program no longer gives is left alone, and only forgotten (an ISO that was mounted is taken out).
 */
export const differences = (id: string, olds: Properties, news: Properties): InstanceDifference => {
  const given = present(news)
  const declared = declaredInputs(olds)
  const changes = Object.entries(INSTANCE_INPUTS).flatMap(([name, input]): InstanceDifference["changes"] => {
    const next = wanted(name, given)
    const before = stored(name, id, olds)
    if (isUnknown(next)) return []
    if (next === undefined) {
      if (name === "isoId" && before !== undefined) return [[name, input.change]]
      return declared.includes(name) ? [[name, "nothing"]] : []
    }
    if (equal(name, before, next)) return declared.includes(name) || name === "generation" ? [] : [[name, "nothing"]]
    return [[name, before === undefined && RECORDED_FIRST.has(name) ? "nothing" : input.change]]
  })
  return { changes }
}

/** Names of the inputs that changed, or of those whose change does this. */
export const changedInputs = ({ changes }: InstanceDifference, change?: Change): ReadonlyArray<string> =>
  changes.filter(([, what]) => change === undefined || what === change).map(([name]) => name)

/** Does the service have to be told anything? */
export const needsApiCalls = ({ changes }: InstanceDifference): boolean =>
  changes.some(([, what]) => what === "in place" || what === "power cycle" || what === "data loss")
