/** Version 23: the price of an order that an operator has announced, for periods that begin at a moment or later. */
import type { Migration } from "./Dialect.ts"

export const nextPrice: Migration = ({ integer }) => `
ALTER TABLE orders ADD COLUMN next_price ${integer} CHECK (next_price >= 0);
ALTER TABLE orders ADD COLUMN next_price_from ${integer};
`
