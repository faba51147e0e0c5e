/** The tasks of all instances of an account: how those ended that its members wait for, and those that failed. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { Task } from "@pulumi-vps/contract/Monitoring"
import { type Encoded, PathId } from "@pulumi-vps/contract/Primitives"
import { RequiredAccess } from "./Access.ts"
import { Ids } from "./Ids.ts"
import { Done } from "./Session.ts"

/** A task with the host name of its instance. */
export const AccountTask = Schema.Struct({ ...Task.fields, hostname: Schema.String })
export interface AccountTask extends Encoded<typeof AccountTask> {}

const account = { account: PathId }

export class TaskCalls extends HttpApiGroup.make("tasks")
  .add(
    /** Those of the ids that the account has. */
    HttpApiEndpoint.get("list", "/accounts/:account/tasks", {
      params: account,
      query: { ids: Ids },
      success: Schema.Array(AccountTask)
    }),
    /**
     * Requests that failed within the last days, newest first. Not those that a later request of the same kind has
     * replaced, and not those that a member has dismissed.
     */
    HttpApiEndpoint.get("failures", "/accounts/:account/failures", {
      params: account,
      success: Schema.Array(AccountTask)
    }),
    HttpApiEndpoint.delete("dismiss", "/accounts/:account/failures/:id", {
      params: { account: PathId, id: PathId },
      success: Done
    })
  )
  .annotate(RequiredAccess, "account")
{}
