/** The libvirt and QEMU of Debian 13 on the computer of the tests, which is Debian 12. */
import { driverSuite } from "./driverSuite.ts"
import { makeDebian13 } from "./Guest.ts"
import { noDebian, startHost } from "./Host.ts"

driverSuite("libvirt of Debian 13", () => startHost("alpha", 1, { root: makeDebian13() }), noDebian)
