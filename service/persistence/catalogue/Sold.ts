/** Plans as they were sold: a change of the catalogue makes a new version of a plan, and no order changes. */
import * as Effect from "effect/Effect"
import { columns, type Definition, flag, placeholders, selectAll, selectOne } from "../Columns.ts"
import type { Sql } from "../Sql.ts"
import type { CacheTables } from "../Caches.ts"
import type { Plan } from "./Plan.ts"

/** The terms that are sold with a plan. The price is the order's own. */
export type SoldPlan = Omit<Plan, "price" | "isActive" | "outOfStock">

export interface Sold {
  /** The id of a plan as it is sold now; the same as long as its terms do not change. */
  readonly sell: (plan: Plan) => Effect.Effect<number>
  /** A plan as it was sold. */
  readonly sold: (soldId: number) => Effect.Effect<SoldPlan | undefined>
}

const TERMS: Definition<SoldPlan> = {
  id: "plan_id",
  name: "name",
  slug: "slug",
  description: "description",
  currency: "currency",
  billingCycle: "billing_cycle",
  category: "category",
  specs: "specs",
  dataCenterId: "data_center_id",
  autoDeploy: flag("auto_deploy"),
  createdAt: "created_at"
}

export const SOLD_PLAN = columns<SoldPlan>(TERMS)

interface Version {
  readonly soldId: number
  readonly terms: SoldPlan
}

const VERSION = columns<Version>({ soldId: "id", terms: TERMS })

const NAMES = Object.keys(TERMS) as ReadonlyArray<keyof SoldPlan>

/** Every create sells, so the newest versions are cached. */
export const soldPlans = (sql: Sql["Service"], cache: CacheTables): Sold => {
  const all = selectAll(sql, VERSION, "FROM sold_plans WHERE id IN (SELECT max(id) FROM sold_plans GROUP BY plan_id)")
  const cached = cache(
    ["sold_plans"],
    Effect.map(all(), (versions) => new Map(versions.map((version) => [version.terms.id, version])))
  )
  const latest = selectOne(sql, VERSION, "FROM sold_plans WHERE plan_id = ? ORDER BY id DESC LIMIT 1")
  const insert = sql.insert(`INSERT INTO sold_plans (${SOLD_PLAN.sql}) VALUES (${placeholders(NAMES.length)})`)
  return {
    sell: (plan) =>
      Effect.flatMap(
        Effect.flatMap(
          cached,
          (newest) => newest === undefined ? latest(plan.id) : Effect.succeed(newest.get(plan.id))
        ),
        (version) =>
          version !== undefined && NAMES.every((name) => version.terms[name] === plan[name])
            ? Effect.succeed(version.soldId)
            : insert(...SOLD_PLAN.encode(plan))
      ),
    sold: selectOne(sql, SOLD_PLAN, "FROM sold_plans WHERE id = ?")
  }
}
