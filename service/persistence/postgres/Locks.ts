/** Advisory locks, which PostgreSQL knows by number. Each is of one database only. */
export const LOCKS = {
  /** Whoever changes the schema. */
  migration: 8_150_001,
  /** Use cases that met others, one after the other. */
  turn: 8_150_002
} as const
