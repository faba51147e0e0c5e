/** More seeds of the simulator than `npm test` has time for, and the planted bugs about money. */
import { describe } from "vitest"
import { MONEY } from "./Mutants.ts"
import { testPlanted, testSeeds } from "./seeds.ts"

testSeeds({ first: 76, batches: 3 })

describe("a planted bug about money is found", () => {
  testPlanted(MONEY)
})
