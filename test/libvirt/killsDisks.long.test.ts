/** Kills and absences at every step of operations on disks and snapshots. */
import { DISKS } from "./Kills.ts"
import { testAllKills } from "./killsSuite.ts"

testAllKills(DISKS)
