/** Whether the service is able to do anything: it reaches its database. */
import * as Effect from "effect/Effect"
import { Tasks } from "../persistence/Tasks.ts"

/** One read of an index; where the database is away, it fails as every read does, and is answered so. */
export const reach = Effect.flatMap(Tasks, ({ nextDue }) => Effect.asVoid(nextDue))
