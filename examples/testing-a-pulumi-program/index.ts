/** The program that `pulumi up` runs. */
import { program } from "./program.ts"

export const { addresses, charged, names } = program(["web-1", "web-2"])
