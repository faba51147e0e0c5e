/** A query parameter with several ids. */
import * as Schema from "effect/Schema"
import { rule } from "../../contract/Fields.ts"

/** Most ids in one call. */
const IDS_MAX = 50

const IDS = /^[1-9]\d{0,14}(?:,[1-9]\d{0,14})*$/

/** Ids, separated by commas. */
export const Ids = Schema.String.check(
  rule<string>(
    "value_error",
    `Input should be 1 to ${IDS_MAX} ids, separated by commas`,
    (text) => IDS.test(text) && text.split(",").length <= IDS_MAX
  )
)
