import { driverSuite } from "./driverSuite.ts"
import { noHosts, startHost } from "./Host.ts"

driverSuite("libvirt", () => startHost("alpha"), noHosts)
