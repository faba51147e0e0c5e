/** Kills of the service, the daemon and QEMU, and absences of the daemon, at every step of operations on systems, and of machines as a whole. */
import { SYSTEMS } from "./Kills.ts"
import { testAllKills } from "./killsSuite.ts"

testAllKills(SYSTEMS)
