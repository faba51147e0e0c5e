/** Kills and absences at every step of operations on systems, and on machines as a whole. */
import { SYSTEMS } from "./Kills.ts"
import { testAllKills } from "./killsSuite.ts"

testAllKills(SYSTEMS)
