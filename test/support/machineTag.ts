/** The tag of an instance's machine, which ends in a random text. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Instances } from "#service/persistence/Instances"
import { NewTagSuffix } from "#service/persistence/MachineTag"
import { SimulatedMachines } from "#service/persistence/SimulatedMachines"

export const tagOf = (id: number) =>
  Effect.flatMap(Instances, ({ find }) => Effect.map(find(id), (instance) => instance!.tag))

/** The simulated machine of an instance. */
export const machineOf = (id: number) =>
  Effect.flatMap(tagOf(id), (tag) => Effect.flatMap(SimulatedMachines, ({ find }) => find(tag)))

const FIXED = "0123456789"

/** All tags end in the same text, below a layer that is provided with this: for comparisons of whole worlds. */
export const fixedTags = Layer.succeed(NewTagSuffix, () => FIXED)

/** The tag under `fixedTags`. */
export const fixedTag = (id: number): string => `instance-${id}-${FIXED}`
