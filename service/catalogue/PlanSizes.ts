/** Reports at the start which plans are not for sale because their specs have no size, as of an older catalogue. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { specProblems } from "../domain/MachineSize.ts"
import { Catalogue } from "../persistence/Catalogue.ts"
import { PlacesMachines } from "./Capacity.ts"

export const layer = Layer.effectDiscard(Effect.gen(function*() {
  if (!(yield* PlacesMachines)) return
  for (const { slug, specs } of yield* (yield* Catalogue).forSale) {
    for (const problem of specProblems(specs, true)) {
      yield* Effect.logError(
        `Plan ${slug} is not for sale: ${problem} Correct it with: vps-service admin catalogue import`
      )
    }
  }
}))
