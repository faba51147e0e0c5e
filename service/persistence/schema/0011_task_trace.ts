/** Version 11: the span of the request that began a task, as a W3C traceparent; null unless requests are traced. */
import type { Migration } from "./Dialect.ts"

export const taskTrace: Migration = ({ text }) => `
ALTER TABLE tasks ADD COLUMN trace ${text};
`
