/** Sentences about purchases. */
import type { DryRun } from "@pulumi-vps/sdk/client/Records"
import { formatAmount } from "./Money.ts"
import type { PlannedPurchase } from "./Quotes.ts"
import type { Words } from "../HostWords.ts"

const areUnknown = ({ input }: Words, names: ReadonlyArray<string>): string =>
  `${names.map(input).join(" and ")} ${names.length === 1 ? "is" : "are"} unknown in this preview`

/** "web: buying VPS S charges 4.99 EUR now (billed monthly)" */
export const purchaseText = (
  words: Words,
  { body, name, unknown }: PlannedPurchase,
  dryRun: DryRun
): string => {
  const { billing_cycle, charge_amount, currency, discount_amount, plan_name } = dryRun
  const off = discount_amount === 0
    ? ""
    : `, ${formatAmount(discount_amount, currency)} off by coupon ${body.coupon_code}`
  const open = unknown.length === 0 ? "" : `; ${areUnknown(words, unknown)}`
  const price = `${unknown.includes("couponCode") ? "at most " : ""}${formatAmount(charge_amount, currency)}`
  return `${name}: buying ${plan_name} charges ${price} now (billed ${billing_cycle}${off}${open})`
}

/** For the second purchase of an update with the same coupon. */
export const sharedCouponText = (coupon: string, first: string, second: string): string =>
  `${second}: ${first} uses coupon ${coupon}, too, and the preview shows the discount for each. If the coupon may be `
  + "used only once, the update buys one of them, and refuses the others without a charge. Remove it from the others"

/** For a purchase, certain or possible, whose charge cannot be requested. */
export const unpricedText = (
  words: Words,
  name: string,
  unknown: ReadonlyArray<string>,
  maxCharge: number | undefined
): string => {
  const verb = unknown.includes("adoptInstanceId") ? "may buy" : "buys"
  const limit = maxCharge === undefined
    ? ""
    : `, at most ${words.input("maxCharge")} (${formatAmount(maxCharge, undefined)})`
  return `${name}: ${verb} an instance for a charge that is not known yet${limit}, because ${
    areUnknown(words, unknown)
  }; no `
    + "total or balance includes it"
}

/** `how`: the purchase of an earlier run. Its instance is not in this stack, but may be in another one. */
export const alreadyBoughtText = (
  { assign, setting, stack }: Words,
  { generation, name }: PlannedPurchase,
  how: string
): string =>
  `${name}: already bought (${how}); nothing will be charged. An interrupted update continues with it. But if another `
  + `${stack} has it, such as a renamed or copied one, both would change and destroy one instance: then set `
  + `${assign("generation", generation + 1)}, or another ${setting("idempotencyScope")}, to buy another one`

/** The generation of one that a loop makes, which has no input of its own. */
export const oneOfFleet = ({ setGeneration }: Words, name: string, generation: number): string =>
  `; for one of a fleet: ${setGeneration(name, generation)}`

export const vanishedPurchase = (words: Words, { generation, name }: PlannedPurchase): string =>
  "this name has already bought an instance, which no longer exists. Nothing was charged. Set "
  + `${words.assign("generation", generation + 1)} to buy another one${oneOfFleet(words, name, generation + 1)}`
