/** Kills and absences at every step of operations on power. */
import { POWER } from "./Kills.ts"
import { testAllKills } from "./killsSuite.ts"

testAllKills(POWER)
