/** `@pulumi-vps/contract`: the schemas, one module each, for programs that have effect. */
import { writeDeclarations, writeModules } from "./modules.ts"

const ENTRIES = ["sdk/contract/Api"]

export const buildContract = (): void => {
  writeModules("sdk/contract", ENTRIES)
  writeDeclarations("sdk/contract", ENTRIES)
}
