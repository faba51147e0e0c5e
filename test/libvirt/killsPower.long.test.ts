/** Kills of the service, the daemon and QEMU, and absences of the daemon, at every step of operations on power. */
import { POWER } from "./Kills.ts"
import { testAllKills } from "./killsSuite.ts"

testAllKills(POWER)
