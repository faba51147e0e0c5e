/**
 * The service's calls, by method and path: the panel's own, and below `/accounts/:account/v1` those of the API;
 * and the operators' commands. Their parameters, bodies, and responses have the types of the contracts; the
 * schemas stay out of the page.
 */
import type { Calls } from "../../contract/PanelApi.ts"
import { type CallOptions, request } from "./client.ts"
import { patch, type Query, refresh, useQuery, withInput } from "./query.ts"
import type { InputOf, PanelCommand, ResultOf } from "../../../contract/operator/Commands.ts"

export type CallName = keyof Calls
type PathOf<Name> = Name extends `${string} ${infer Path}` ? Path : never
export type ReadPath = PathOf<Extract<CallName, `GET ${string}`>>

type ParamOf<Path> = Path extends `${string}:${infer Param}/${infer Rest}` ? Param | ParamOf<`/${Rest}`>
  : Path extends `${string}:${infer Param}` ? Param
  : never

/** The parameters in a path, like `:account`. */
export type Params<Path> = { readonly [Param in ParamOf<Path>]: string | number }

/** The part of a request that an endpoint does not have is `never` in its type. */
type Part<Name extends string, Value> = [Value] extends [never] ? Record<never, never>
  : Record<never, never> extends Value ? { readonly [Key in Name]?: Value }
  : { readonly [Key in Name]: Value }

type HeadersOf<Headers> = [Headers] extends [never] ? never : { readonly [Header in keyof Headers]?: string }

type Options<Name extends CallName> =
  & Part<"params", ParamOf<PathOf<Name>> extends never ? never : Params<PathOf<Name>>>
  & Part<"query", Calls[Name]["~Query"]["Type"]>
  & Part<"body", Calls[Name]["~Payload"]["Type"]>
  & Part<"headers", HeadersOf<Calls[Name]["~Headers"]["Type"]>>
  & Pick<CallOptions, "onHeaders">

type Arguments<All> = Record<never, never> extends All ? [options?: All] : [options: All]

export type BodyOf<Name extends CallName> = Calls[Name]["~Payload"]["Type"]

/** The body of a response. */
export type ResponseOf<Name extends CallName> = Calls[Name]["~Success"]["Type"]

type ReadOf<Path extends ReadPath> = ResponseOf<Extract<`GET ${Path}`, CallName>>

interface Filled {
  readonly params?: Readonly<Record<string, string | number>>
  readonly query?: Readonly<Record<string, unknown>>
}

const fill = (path: string, { params = {}, query = {} }: Filled): string => {
  const filled = path.replaceAll(/:([a-z_]+)/g, (_, name: string) => encodeURIComponent(params[name]!))
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  return given.length === 0 ? filled : `${filled}?${search}`
}

/** A path with its parameters, such as to read again what begins with it. */
export const pathTo = <Path extends PathOf<CallName>>(path: Path, params: Params<Path>): string =>
  fill(path, { params })

/** Sends a call. If it needs a fresh sign-in, the person is prompted for one, and it is sent again. */
export const send = <Name extends CallName>(
  name: Name,
  ...[options = {} as Options<Name>]: Arguments<Options<Name>>
): Promise<ResponseOf<Name>> => {
  const { body, headers, onHeaders, params, query } = options as CallOptions & Filled
  const [method = "", path = ""] = name.split(" ")
  return request(
    method,
    fill(path, { params, query } as Filled),
    { body, headers, onHeaders } as CallOptions
  ) as Promise<
    ResponseOf<Name>
  >
}

/** The response to a read; without a path, nothing is read. */
export const useRead = <Path extends ReadPath>(
  path: Path | undefined,
  ...[options = {} as Options<Extract<`GET ${Path}`, CallName>>]: Arguments<Options<Extract<`GET ${Path}`, CallName>>>
): Query<ReadOf<Path>> =>
  useQuery(path === undefined ? undefined : fill(path, options as Filled)) as Query<ReadOf<Path>>

/** Changes a response that is known. */
export const change = <Path extends ReadPath>(
  path: Path,
  params: Params<Path>,
  next: (known: ReadOf<Path>) => ReadOf<Path>
): void => patch(fill(path, { params }), next as (known: unknown) => unknown)

export type { InputOf, PanelCommand, ResultOf, RowOf } from "../../../contract/operator/Commands.ts"

/** Rows that a list shows at most; the search finds the rest. */
export const ROWS = 1000

/** A command without required fields can be called without input. */
export type CommandInput<Name extends PanelCommand> = Record<never, never> extends InputOf<Name> ?
  [input?: InputOf<Name>]
  : [input: InputOf<Name>]

export const useCommand = <Name extends PanelCommand>(name: Name, ...[input = {}]: CommandInput<Name>) =>
  useQuery(withInput(`/operator/commands/${name}`, input)) as Query<ResultOf<Name>>

/** Executes a command, and then reads the operators' lists again: most commands change several lists. */
export const execute = async <Name extends PanelCommand>(name: Name, ...[input = {}]: CommandInput<Name>) => {
  const body = input as Readonly<Record<string, unknown>>
  const result = await send("POST /operator/commands/:name", { params: { name }, body })
  refresh("/operator")
  return result as ResultOf<Name>
}

/** A function that executes a command and reports a text as success. */
export const act = <Name extends PanelCommand>(name: Name, input: InputOf<Name>, text: string) => async () => {
  await execute(name, ...[input] as unknown as CommandInput<Name>)
  return text
}
