/** Version 7: what the emulator's controls have set, so that a restart keeps it. Saved states survive a reset. */
export const emulator = `
CREATE TABLE emulator_clock (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  ahead INTEGER NOT NULL,
  frozen_at INTEGER
) STRICT;

CREATE TABLE emulator_faults (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  rule TEXT NOT NULL,
  drawn INTEGER NOT NULL,
  hits INTEGER NOT NULL
) STRICT;

CREATE TABLE emulator_states (
  name TEXT PRIMARY KEY,
  saved_at INTEGER NOT NULL,
  content TEXT NOT NULL
) STRICT;
`
