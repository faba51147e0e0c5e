/** Version 3: coupons and their redemptions. A fixed value is minor units, a percentage basis points. */
import type { Migration } from "./Dialect.ts"

export const coupons: Migration = ({ identity, integer, strict, text }) => `
CREATE TABLE coupons (
  id ${identity},
  code ${text} NOT NULL UNIQUE,
  kind ${text} NOT NULL CHECK (kind IN ('percent', 'fixed')),
  value ${integer} NOT NULL CHECK (value > 0 AND (kind = 'fixed' OR value <= 10000)),
  currency ${text} CHECK ((currency IS NULL) = (kind = 'percent')),
  valid_from ${integer},
  valid_until ${integer},
  max_uses ${integer} CHECK (max_uses > 0),
  once_per_account ${integer} NOT NULL CHECK (once_per_account IN (0, 1)),
  uses ${integer} NOT NULL CHECK (uses >= 0 AND (max_uses IS NULL OR uses <= max_uses)),
  created_at ${integer} NOT NULL
)${strict};

CREATE TABLE coupon_redemptions (
  order_id ${integer} PRIMARY KEY REFERENCES orders(id),
  coupon_id ${integer} NOT NULL REFERENCES coupons(id),
  account_id ${integer} NOT NULL REFERENCES accounts(id),
  once_per_account ${integer} NOT NULL CHECK (once_per_account IN (0, 1)),
  discount ${integer} NOT NULL CHECK (discount >= 0),
  created_at ${integer} NOT NULL,
  released_at ${integer}
)${strict};
-- Once per account is this index; a redemption that was given back no longer counts.
CREATE UNIQUE INDEX coupon_once_per_account ON coupon_redemptions(coupon_id, account_id)
  WHERE once_per_account = 1 AND released_at IS NULL;
`
