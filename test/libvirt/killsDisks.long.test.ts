/** Kills of the service, the daemon and QEMU, and absences of the daemon, at every step of operations on disks and snapshots. */
import { DISKS } from "./Kills.ts"
import { testAllKills } from "./killsSuite.ts"

testAllKills(DISKS)
