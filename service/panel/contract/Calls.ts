/** The types of all calls by method and path, for the page. */
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type { Api } from "#contract/Api"
import type { PanelApi } from "./PanelApi.ts"

interface Endpoint {
  readonly method: string
  readonly path: string
  readonly "~Query": { readonly Type: unknown }
  readonly "~Payload": { readonly Type: unknown }
  readonly "~Headers": { readonly Type: unknown }
  readonly "~Success": { readonly Type: unknown }
}

type EndpointsOf<Groups> = Extract<
  { [Group in keyof Groups]: HttpApiGroup.Endpoints<Groups[Group]> }[keyof Groups],
  Endpoint
>
type PathAfter<Prefix extends string, Path> = Path extends `${Prefix}${infer Rest}` ? Rest : never

/** The endpoints by method and path, like `GET /me/sessions`; those of the API below `/accounts/:account/v1`. */
export type Calls =
  & {
    readonly [
      E in EndpointsOf<typeof PanelApi["groups"]> as `${E["method"]} ${PathAfter<"/panel/api", E["path"]>}`
    ]: E
  }
  & {
    readonly [
      E in EndpointsOf<typeof Api["groups"]> as `${E["method"]} /accounts/:account/v1${PathAfter<"/api/v1", E["path"]>}`
    ]: E
  }
