/** Version 27: IPv6 addresses of machines. They are not reused, so only those in use are stored. */
import type { Migration } from "./Dialect.ts"

export const ipv6: Migration = ({ integer, strict, text }) => `
CREATE TABLE ipv6_addresses (
  instance_id ${integer} PRIMARY KEY,
  pool_id ${integer} NOT NULL REFERENCES address_pools(id),
  address ${text} NOT NULL UNIQUE
)${strict};
`
