/** Version 3: coupons, and who redeemed them. A fixed value is minor units, a percentage basis points. */
export const coupons = `
CREATE TABLE coupons (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  code TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('percent', 'fixed')),
  value INTEGER NOT NULL CHECK (value > 0 AND (kind = 'fixed' OR value <= 10000)),
  currency TEXT CHECK ((currency IS NULL) = (kind = 'percent')),
  valid_from INTEGER,
  valid_until INTEGER,
  max_uses INTEGER CHECK (max_uses > 0),
  once_per_account INTEGER NOT NULL CHECK (once_per_account IN (0, 1)),
  uses INTEGER NOT NULL CHECK (uses >= 0 AND (max_uses IS NULL OR uses <= max_uses)),
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE coupon_redemptions (
  order_id INTEGER PRIMARY KEY REFERENCES orders(id),
  coupon_id INTEGER NOT NULL REFERENCES coupons(id),
  account_id INTEGER NOT NULL REFERENCES accounts(id),
  once_per_account INTEGER NOT NULL CHECK (once_per_account IN (0, 1)),
  discount INTEGER NOT NULL CHECK (discount >= 0),
  created_at INTEGER NOT NULL,
  released_at INTEGER
) STRICT;
-- Once per account is this index; a redemption that was given back no longer counts.
CREATE UNIQUE INDEX coupon_once_per_account ON coupon_redemptions(coupon_id, account_id)
  WHERE once_per_account = 1 AND released_at IS NULL;
`
