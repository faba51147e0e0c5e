/** Settings of the databases, part of the table in `service/config/Config.ts`. */
import { oneOf } from "../config/Setting.ts"

export const synchronous = oneOf(["full", "normal"], {
  flag: "synchronous",
  environment: "VPS_SERVICE_SYNCHRONOUS",
  fallback: "full",
  reason: "On SQLite. full: what was answered survives a power cut. normal: one may undo the last seconds, each wholly."
})
