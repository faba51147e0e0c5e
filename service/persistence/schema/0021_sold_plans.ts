/**
 * Version 21: plans as they were sold, so that a change of the catalogue changes no order. The price of an order is its
 * own. A renewal in the feed has its charge.
 */
import type { Migration } from "./Dialect.ts"

export const soldPlans: Migration = ({ identity, integer, strict, text }) => `
CREATE TABLE sold_plans (
  id ${identity},
  plan_id ${integer} NOT NULL REFERENCES plans(id),
  name ${text} NOT NULL,
  slug ${text} NOT NULL,
  description ${text},
  currency ${text} NOT NULL,
  billing_cycle ${text} NOT NULL,
  category ${text} NOT NULL,
  specs ${text},
  data_centre_id ${integer} NOT NULL REFERENCES data_centres(id),
  auto_deploy ${integer} NOT NULL,
  created_at ${integer} NOT NULL
)${strict};
CREATE INDEX sold_plans_of_plan ON sold_plans(plan_id, id);
INSERT INTO sold_plans (plan_id, name, slug, description, currency, billing_cycle, category, specs, data_centre_id,
    auto_deploy, created_at)
  SELECT id, name, slug, description, currency, billing_cycle, category, specs, data_centre_id, auto_deploy, created_at
  FROM plans WHERE id IN (SELECT plan_id FROM orders) ORDER BY id;
ALTER TABLE orders ADD COLUMN sold_id ${integer} REFERENCES sold_plans(id);
UPDATE orders SET sold_id = (SELECT s.id FROM sold_plans s WHERE s.plan_id = orders.plan_id);
`
