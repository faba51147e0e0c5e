/** Labels of instances. */
import * as Schema from "effect/Schema"
import { pattern, rule } from "../../contract/Fields.ts"

/** Most labels of an instance. */
const LABELS_MAX = 10

const Label = pattern("have 1 to 32 letters, digits, or - _ . :", /^[A-Za-z0-9_.:-]{1,32}$/)

/** In a request; the same one twice counts once. */
export const Labels = Schema.Array(Label).check(
  rule<ReadonlyArray<string>>(
    "too_long",
    `List should have at most ${LABELS_MAX} items`,
    (labels) => labels.length <= LABELS_MAX
  )
)

export const InstanceLabels = Schema.Struct({ instance_id: Schema.Int, labels: Schema.Array(Schema.String) })
