/** What differs between state and program. Pure: the table of `Args.ts` decides. */
import type { Difference } from "../Lifecycle.ts"
import { isUnknown, present, type Properties, same } from "../Properties.ts"
import { normalised, REVERSE_DNS } from "./Args.ts"

/** An unknown value counts as unchanged: the address of an instance in an update must not look like another one. */
export const differences = (olds: Properties, news: Properties): Difference => {
  const before = present(normalised(olds))
  const given = present(normalised(news))
  const changed = Object.keys(REVERSE_DNS.inputs).filter((name) =>
    !isUnknown(given[name]) && !same(before[name], given[name])
  )
  return { changed, replaces: changed.filter((name) => REVERSE_DNS.inputs[name]?.change === "replaced") }
}
