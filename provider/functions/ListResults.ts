/** Functions that return a list: a plugin's result is an object, and this is the field with the list. */
import type { FunctionName } from "./Functions.ts"

const LISTS: Partial<Record<FunctionName, string>> = {
  getPlans: "plans",
  getInstances: "instances",
  getAvailablePlans: "plans",
  getSnapshots: "snapshots",
  getBackups: "backups",
  getIsos: "isos"
}

/** Undefined: the result is an object already. */
export const listField = (name: FunctionName): string | undefined => LISTS[name]
