/** What differs between state and program, and what that asks for. Pure: the table of `Definition.ts` decides. */
import type { Change } from "../Definition.ts"
import { isUnknown, present, type Properties, same } from "../Properties.ts"
import { generationOf } from "./Args.ts"
import { INSTANCE_INPUTS } from "./Definition.ts"
import { declaredIn, sameHostname } from "./Outputs.ts"

export interface InstanceDifference {
  /** Field names in the table's order, with what the change of each asks for. */
  readonly changes: ReadonlyArray<readonly [name: string, change: Change]>
}

/** What state holds for a field, as far as a change of it is concerned. */
const stored = (name: string, id: string, olds: Properties): unknown => {
  if (name === "sshPublicKey") return olds["pendingSshKey"] ?? olds["sshPublicKey"]
  if (name === "adoptInstanceId") return Number(id)
  if (name === "generation") return generationOf(olds)
  return olds[name]
}

const wanted = (name: string, news: Properties): unknown => name === "generation" ? generationOf(news) : news[name]

const equal = (name: string, left: unknown, right: unknown): boolean =>
  name === "hostname" && typeof left === "string" && typeof right === "string"
    ? sameHostname(left, right)
    : same(left, right)

/**
 * `olds` are outputs, `news` inputs. An unknown value counts as unchanged: it must never look like a replacement.
 * A field that the program no longer gives is left alone, and only forgotten. A field whose value state does not know
 * takes the program's, silently, unless the service can be told without harm.
 */
export const differences = (id: string, olds: Properties, news: Properties): InstanceDifference => {
  const given = present(news)
  const declared = declaredIn(olds)
  const changes = Object.entries(INSTANCE_INPUTS).flatMap(([name, field]) => {
    const next = wanted(name, given)
    if (isUnknown(next)) return []
    if (next === undefined) return declared.includes(name) ? [[name, "nothing"] as const] : []
    const before = stored(name, id, olds)
    if (equal(name, before, next)) {
      return declared.includes(name) || name === "generation"
        ? []
        : [[name, "nothing"] as const]
    }
    return [[name, before === undefined && field.change === "refused" ? "nothing" : field.change] as const]
  })
  return { changes }
}

export const names = ({ changes }: InstanceDifference, change?: Change): ReadonlyArray<string> =>
  changes.filter(([, what]) => change === undefined || what === change).map(([name]) => name)
