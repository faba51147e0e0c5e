import * as Context from "effect/Context"
import * as OpenApi from "effect/http-api/OpenApi"
import { RequiredScope, type Scope } from "./Scope.ts"

/** The annotations of an endpoint: its required scope, and its summary in the OpenAPI document. */
export const operation = (scope: Scope, summary: string) =>
  Context.make(RequiredScope, scope).pipe(Context.add(OpenApi.Summary, summary))
