/** Version 20: the number of tasks of an instance, which each page of its feed shows, is stored instead of counted. */
import type { Migration } from "./Dialect.ts"

export const taskCounts: Migration = ({ counter, integer }) => `
ALTER TABLE instances ADD COLUMN task_count ${integer} NOT NULL DEFAULT 0;
UPDATE instances SET task_count = (SELECT count(*) FROM tasks t WHERE t.instance_id = instances.id);
${counter("instances", "task_count", "tasks", "instance_id")}
`
