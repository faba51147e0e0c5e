/** More seeds than `npm test` has time for. */
import { testSeeds } from "./seeds.ts"

testSeeds({ first: 76, batches: 5 })
