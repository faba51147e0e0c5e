/** The tag of an instance's machine: its name at the upstream, which no other machine ever had. */
import * as Context from "effect/Context"
import { randomBytes } from "node:crypto"

/** 10 hexadecimal digits: with the same id twice, the tags are the same once in 10^12. */
const SUFFIX_BYTES = 5

/** The end of a new tag. A simulation, whose runs repeat, provides its own. */
export class NewTagSuffix extends Context.Reference<() => string>("@pulumi-vps/service/NewTagSuffix", {
  defaultValue: () => () => randomBytes(SUFFIX_BYTES).toString("hex")
}) {}

/** The tag as SQL, of the instances table under an alias. Machines of earlier versions have no suffix. */
export const machineTag = (alias: string): string =>
  `'instance-' || CAST(${alias}.id AS TEXT) || coalesce('-' || ${alias}.tag_suffix, '')`

const TAG = /^instance-(\d+)(?:-[\da-f]{10})?$/

/** The id in a tag, which may be another instance's with the same id; undefined for other texts. */
export const idInTag = (tag: string): number | undefined => {
  const digits = TAG.exec(tag)?.[1]
  return digits === undefined ? undefined : Number(digits)
}
