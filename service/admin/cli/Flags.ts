/** Kinds of flags that many commands have. */
import * as Flag from "effect/cli/Flag"

/** A flag that may be absent. */
export const optional = <A>(flag: Flag.Flag<A>, description: string) =>
  flag.pipe(Flag.withDescription(description), Flag.optional)

/** A flag without a value, off by default. */
export const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))
