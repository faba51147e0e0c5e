/** An endpoint as a value. The calls of all clients are made from the endpoints that the files in this folder list. */
import type * as Effect from "effect/Effect"
import type { Call } from "../chain/Transport.ts"
import type { ApiResponse } from "../chain/ApiResponse.ts"
import type { CallInput, Operation, RetryKind } from "../chain/Request.ts"
import type { CreateOptions } from "../options/Options.ts"
import type { CallFailure } from "../errors/ApiErrors.ts"
import type { UnshownRecords } from "../host/Shapes.ts"
import type { UnshownName } from "../host/View.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- only `any` matches the parameters of every function
type Signature = (...args: any) => unknown

/** `Signature` is the call: path parameters in the order of the path, then body, query and options. */
export interface Endpoint<S extends Signature> extends Operation {
  /** Never set: it carries the type. */
  readonly signature?: S
}

/** Beside what every operation has: the name of the record in the response, if the specification does not show it. */
type Unshown<Data> = UnshownName<Data extends ReadonlyArray<infer Item> ? Item : Data> extends infer Name
  ? [Name] extends [never] ? { readonly unshown?: undefined }
  : { readonly unshown: Name & keyof UnshownRecords }
  : never

type Location = `${Operation["method"]} /${string}`
type Details = Partial<Pick<Operation, "body" | "query" | "fixedQuery" | "list" | "check">>

/** The compiler demands `unshown` exactly where it applies. */
type Rest<S extends Signature> = {} extends Unshown<ReturnType<S>> ? [details?: Details & Unshown<ReturnType<S>>]
  : [details: Details & Unshown<ReturnType<S>>]

const endpoint =
  (retry: RetryKind) => <S extends Signature>(location: Location, ...[details]: Rest<S>): Endpoint<S> => {
    const [method, path] = location.split(" ") as [Operation["method"], string]
    const params = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!)
    return { method, path, params, retry, ...details as Details & Pick<Operation, "unshown"> }
  }

/** Defines an endpoint of each kind; {@link RetryKind} has the rules. */
export const read = endpoint("read")
export const purchase = endpoint("purchase")
export const mutation = endpoint("mutation")
export const idempotent = endpoint("idempotent")
export const once = endpoint("once")

export type Endpoints = Readonly<Record<string, Endpoint<Signature>>>

/** The calls of a group of endpoints. */
export type Calls<Group> = {
  readonly [Name in keyof Group]: Group[Name] extends Endpoint<infer S>
    ? (...args: Parameters<S>) => Effect.Effect<ApiResponse<ReturnType<S>>, CallFailure>
    : never
}

/** Sends an operation through the chain. */
export type Caller = (operation: Operation, input: CallInput, options?: CreateOptions) => Call<unknown>

export const callsOf = <Group extends Endpoints>(group: Group, call: Caller): Calls<Group> =>
  Object.fromEntries(
    Object.entries(group).map(([name, operation]) => [name, (...args: ReadonlyArray<unknown>) => {
      const [input, options] = inputOf(operation, args)
      return call(operation, input, options)
    }])
  ) as Calls<Group>

const inputOf = (operation: Operation, args: ReadonlyArray<unknown>): [CallInput, CreateOptions | undefined] => {
  let next = operation.params.length
  const body = operation.body === true ? args[next++] : undefined
  const query = operation.query === undefined ? undefined : args[next++] as CallInput["query"]
  return [{ params: args, body, query }, args[next] as CreateOptions | undefined]
}
