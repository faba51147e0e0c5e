/** Version 11: the span of the request that began a task, as a W3C traceparent; null unless requests are traced. */
export const taskTrace = `
ALTER TABLE tasks ADD COLUMN trace TEXT;
`
