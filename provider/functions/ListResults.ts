/** Functions that answer a list: a plugin's answer is an object, and this is the field that the list stands in. */
import type { FunctionName } from "./Functions.ts"

const LISTS: Partial<Record<FunctionName, string>> = {
  getPlans: "plans",
  getInstances: "instances",
  getAvailablePlans: "plans",
  getSnapshots: "snapshots",
  getBackups: "backups",
  getIsos: "isos"
}

/** Undefined: the answer is an object as it is. */
export const listField = (name: FunctionName): string | undefined => LISTS[name]
