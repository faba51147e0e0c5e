/** Version 18: the newest time of the service, and whether it is in doubt. */
import type { Migration } from "./Dialect.ts"

export const clock: Migration = ({ integer, strict, text }) => `
CREATE TABLE service_clock (
  id ${integer} PRIMARY KEY CHECK (id = 1),
  newest ${integer} NOT NULL,
  doubted_since ${integer},
  doubt ${text},
  source_ahead ${integer} NOT NULL,
  confirmations ${integer} NOT NULL,
  CHECK ((doubt IS NULL) = (doubted_since IS NULL))
)${strict};
`
