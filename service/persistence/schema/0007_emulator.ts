/** Version 7: the settings of the emulator's controls, which survive a restart. Saved states also survive a reset. */
import type { Migration } from "./Dialect.ts"

export const emulator: Migration = ({ identity, integer, strict, text }) => `
CREATE TABLE emulator_clock (
  id ${integer} PRIMARY KEY CHECK (id = 1),
  ahead ${integer} NOT NULL,
  frozen_at ${integer}
)${strict};

CREATE TABLE emulator_faults (
  id ${identity},
  rule ${text} NOT NULL,
  drawn ${integer} NOT NULL,
  hits ${integer} NOT NULL
)${strict};

CREATE TABLE emulator_states (
  name ${text} PRIMARY KEY,
  saved_at ${integer} NOT NULL,
  content ${text} NOT NULL
)${strict};
`
