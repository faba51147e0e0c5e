/** The schema's versions, in order, for both databases. */
import type { Migration } from "./Dialect.ts"
import { initial } from "./0001_initial.ts"
import { versions2To9 } from "./0002_to_0009.ts"
import { versions10To21 } from "./0010_to_0021.ts"
import { versions22To25 } from "./0022_to_0025.ts"
import { versions26AndLater } from "./0026_and_later.ts"

export const MIGRATIONS: ReadonlyArray<Migration> = [
  initial,
  ...versions2To9,
  ...versions10To21,
  ...versions22To25,
  ...versions26AndLater
]

/** The version of this program's schema. */
export const SCHEMA_VERSION = MIGRATIONS.length
