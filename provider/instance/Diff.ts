/** The difference between state and program, and the change it requires. Pure: `Definition.ts` decides. */
import { type Change, nameInput } from "../definition/Definition.ts"
import { isUnknown, nameOf, present, type Properties, same } from "../definition/Properties.ts"
import { sameHostname } from "../purchase/InstanceDetails.ts"
import { asInputs, generationOf, INSTANCE_INPUTS, type InstanceInputs } from "./Definition.ts"
import { declaredInputs, inputFrom } from "./state/Outputs.ts"
import type { CreateInstance } from "@pulumi-vps/sdk/client/Records"
import type { PlannedPurchase } from "../purchase/Quotes.ts"

// The order of an Instance, as far as its inputs are known: all of them in an update, some in a preview.

const knownInputs = (inputs: InstanceInputs): InstanceInputs =>
  asInputs(Object.fromEntries(Object.entries(present({ ...inputs })).filter(([, value]) => !isUnknown(value))))

export const orderBody = (inputs: InstanceInputs): CreateInstance => {
  const { couponCode, hostname, os, rootPassword, serviceId, sshPublicKey } = knownInputs(inputs)
  const order: Properties = {
    service_id: serviceId,
    hostname,
    os,
    ssh_pubkey: sshPublicKey,
    root_password: rootPassword,
    coupon_code: couponCode
  }
  return present(order) as unknown as CreateInstance
}

/** The purchase that the wallet approves. */
export const plannedPurchase = (inputs: InstanceInputs): PlannedPurchase => ({
  key: inputs.__purchaseKey,
  name: nameOf(inputs.__urn),
  generation: generationOf({ ...inputs }),
  body: orderBody(inputs),
  maxCharge: knownInputs(inputs).maxCharge,
  unknown: (["couponCode", "maxCharge"] as const).filter((name) => isUnknown(inputs[name]))
})

export interface InstanceDifference {
  /** The changed inputs in the definition's order, with the effect of each. */
  readonly changes: ReadonlyArray<readonly [name: string, change: Change]>
}

/** The value in the state that an input is compared with. */
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

/** Irreversible or charged operations are not run for a value that the state does not have: it is only recorded. */
const RECORDED_FIRST: ReadonlySet<string> = new Set(["serviceId", "os", "reinstallTriggers", "adoptInstanceId"])

/**
 * `olds` are outputs, `news` inputs. An unknown value counts as unchanged: it must never look like a replacement.
 * An input that was removed from the program is only removed from the state (but a mounted ISO is unmounted).
 */
export const differences = (id: string, olds: Properties, news: Properties): InstanceDifference => {
  const inputs = present(news)
  const declared = withTargets(declaredInputs(olds))
  const changes = Object.entries(INSTANCE_INPUTS).flatMap(([name, input]): InstanceDifference["changes"] => {
    const next = wanted(name, inputs)
    // The ids differ, or nothing does: a name is only another way to write an id.
    if (input.names !== undefined && inputs[input.names] !== undefined) return []
    const before = stored(name, id, olds)
    if (isUnknown(next)) return []
    if (next === undefined) {
      if (name === "isoId" && before !== undefined) return [[name, input.change]]
      return declared.includes(name) ? [[name, "nothing"]] : []
    }
    if (equal(name, before, next)) return declared.includes(name) || name === "generation" ? [] : [[name, "nothing"]]
    return [[name, before === undefined && RECORDED_FIRST.has(name) ? "nothing" : input.change]]
  })
  return { changes: shownAs(changes, inputs) }
}

/** With the ids of the names: a program that changes from one to the other still sets the input. */
const withTargets = (declared: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...declared,
  ...declared.flatMap((name) => INSTANCE_INPUTS[name]?.names ?? [])
]

/** A change of an id shows the program's name for it, too. */
const shownAs = (changes: InstanceDifference["changes"], inputs: Properties): InstanceDifference["changes"] =>
  changes.flatMap(([name, change]) => {
    const alias = nameInput(INSTANCE_INPUTS, name)
    return alias === undefined || inputs[alias] === undefined ? [[name, change]] : [[name, change], [alias, change]]
  })

/** Names of the changed inputs, or of those with this effect. */
export const changedInputs = ({ changes }: InstanceDifference, change?: Change): ReadonlyArray<string> =>
  changes.filter(([, what]) => change === undefined || what === change).map(([name]) => name)

/** True when the changes require calls of the API. */
export const needsApiCalls = ({ changes }: InstanceDifference): boolean =>
  changes.some(([, what]) => what === "in place" || what === "power cycle" || what === "data loss")
