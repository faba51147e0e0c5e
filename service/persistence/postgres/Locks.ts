/** Advisory locks, which PostgreSQL identifies by number. Each belongs to one database. */
export const LOCKS = {
  /** Serializes changes of the schema. */
  migration: 8_150_001,
  /** Serializes use cases that conflicted with others. */
  turn: 8_150_002
} as const
