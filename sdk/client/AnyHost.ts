/**
 * The calls as those see them who work with any host: the SDK's own combined calls, the command, and the provider.
 * Records that the specification does not show are views, so that the compiler finds every field that may be absent.
 */
import * as Effect from "effect/Effect"
import type { WaitFailure } from "./errors/ApiErrors.ts"
import { endpoints } from "./calls/Endpoints.ts"
import type { ApiResponse } from "./chain/ApiResponse.ts"
import type { UnshownRecords } from "./host/Shapes.ts"
import { type AnyHostData, view } from "./host/View.ts"

/** A group of calls whose data are views. */
export type AnyHost<Group> = {
  readonly [Name in keyof Group]: Group[Name] extends
    (...args: infer Args) => Effect.Effect<ApiResponse<infer Data>, infer Failure>
    ? (...args: Args) => Effect.Effect<ApiResponse<AnyHostData<Data>>, Failure>
    : Group[Name]
}

/** A group of calls that return promises. */
export type AnyHostPromises<Group> = {
  readonly [Name in keyof Group]: Group[Name] extends (...args: infer Args) => PromiseLike<infer Data>
    ? [Data] extends [AnyHostData<Data>] ? [AnyHostData<Data>] extends [Data] ? Group[Name]
      : (...args: Args) => Promise<AnyHostData<Data>>
    : (...args: Args) => Promise<AnyHostData<Data>>
    : Group[Name]
}

/** The combined calls that return such a record. */
const COMBINED: Readonly<Record<string, keyof UnshownRecords>> = {
  "instances.waitUntilIdle": "LiveStatus",
  "rescue.enterAndWait": "LiveStatus",
  "rescue.exitAndWait": "LiveStatus"
}

interface Unshown {
  readonly record: keyof UnshownRecords
  readonly list: boolean
}

const unshownBy = (group: string, name: string): Unshown | undefined => {
  const all = endpoints as unknown as Readonly<
    Record<string, Readonly<Record<string, { readonly unshown?: keyof UnshownRecords; readonly list?: true }>>>
  >
  const combined = COMBINED[`${group}.${name}`]
  if (combined !== undefined) return { record: combined, list: false }
  const endpoint = all[group]?.[name]
  return endpoint?.unshown === undefined ? undefined : { record: endpoint.unshown, list: endpoint.list === true }
}

const viewed = ({ list, record }: Unshown, data: unknown): unknown =>
  list ? (data as ReadonlyArray<unknown>).map((item) => view(record, item)) : view(record, data)

/** A list of a shape in which no list is found. */
const isOtherShape = ({ list }: Unshown, error: unknown): boolean =>
  list && (error as { readonly _tag?: unknown })._tag === "DecodeError"

type AnyCall = (...args: ReadonlyArray<unknown>) => Effect.Effect<ApiResponse<unknown>, WaitFailure>

const NO_LIST = {
  data: undefined,
  response: { status: 200, headers: {}, requestId: undefined, attempts: 1, idempotencyKey: undefined }
}

/** The calls of a client's group. */
export const forAnyHost = <Group extends object>(name: string, group: Group): AnyHost<Group> => {
  const calls = Object.entries(group as Record<string, AnyCall>).map(([method, call]) => {
    const unshown = unshownBy(name, method)
    if (unshown === undefined) return [method, call]
    return [method, (...args: ReadonlyArray<unknown>) =>
      call(...args).pipe(
        Effect.map((answer) => ({ ...answer, data: viewed(unshown, answer.data) })),
        Effect.catchIf((error) => isOtherShape(unshown, error), () => Effect.succeed(NO_LIST))
      )]
  })
  return Object.fromEntries(calls) as AnyHost<Group>
}

/** The groups of a client that have calls of single requests. */
type Groups<Client> = { readonly [Name in Extract<keyof Client, keyof typeof endpoints>]: Client[Name] }

/** The groups of a client. */
export const anyHost = <Client extends object>(
  client: Client
): { readonly [Name in keyof Groups<Client>]: AnyHost<Client[Name]> } =>
  Object.fromEntries(
    Object.keys(endpoints).map((name) => [name, forAnyHost(name, (client as Record<string, object>)[name]!)])
  ) as { readonly [Name in keyof Groups<Client>]: AnyHost<Client[Name]> }

type AnyPromise = (...args: ReadonlyArray<unknown>) => Promise<unknown>

const viewPromise = async (unshown: Unshown, call: PromiseLike<unknown>): Promise<unknown> => {
  try {
    return viewed(unshown, await call)
  } catch (error) {
    if (isOtherShape(unshown, error)) return undefined
    throw error
  }
}

/** The groups of the Promise client. */
export const promisesOfAnyHost = <Client extends object>(
  client: Client
): { readonly [Name in keyof Groups<Client>]: AnyHostPromises<Client[Name]> } =>
  Object.fromEntries(
    Object.keys(endpoints).map((name) => {
      const group = (client as unknown as Record<string, Record<string, AnyPromise>>)[name]!
      return [
        name,
        Object.fromEntries(
          Object.entries(group).map(([method, call]) => {
            const unshown = unshownBy(name, method)
            return [
              method,
              unshown === undefined
                ? call
                : (...args: ReadonlyArray<unknown>) => viewPromise(unshown, call(...args))
            ]
          })
        )
      ]
    })
  ) as { readonly [Name in keyof Groups<Client>]: AnyHostPromises<Client[Name]> }
