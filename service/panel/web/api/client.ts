/** Calls of the panel's API: JSON in both directions, and one kind of error that says what to do. */
import type { FRESH_SIGN_IN as FreshSignIn } from "../../contract/Freshness.ts"
import type { READ_ONLY as ReadOnly } from "../../contract/Permissions.ts"
import { makeStore } from "./store.ts"

/** One invalid field of a request's body. */
export interface FieldProblem {
  readonly field: string
  readonly message: string
}

interface Details {
  readonly fields?: ReadonlyArray<FieldProblem>
  readonly requestId?: string | undefined
  /** A word for programs. */
  readonly reason?: string | undefined
  /** The amount with its currency, if the charge would have been another one than expected. */
  readonly charge?: string | undefined
}

export class ApiError extends Error {
  /** 0 if no response arrived. */
  readonly status: number
  readonly fields: ReadonlyArray<FieldProblem>
  readonly requestId: string | undefined
  readonly reason: string | undefined
  readonly charge: string | undefined
  constructor(message: string, status: number, { charge, fields = [], reason, requestId }: Details = {}) {
    super(message)
    this.status = status
    this.fields = fields
    this.requestId = requestId
    this.reason = reason
    this.charge = charge
  }
}

interface ValidationItem {
  readonly loc: ReadonlyArray<string | number>
  readonly msg: string
}

export interface CallOptions {
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  /** Gets the headers of a success. */
  readonly onHeaders?: (headers: Headers) => void
}

const API = "/panel/api"

/** Set when the service no longer knows the session. */
export const signedOut = makeStore(false)

/** Increases when a call is refused because the person may only read the account: the page believed otherwise. */
export const refusedChanges = makeStore(0)

/** A request for a fresh sign-in, which a dialog of the shell answers. */
export const freshRequest = makeStore<((done: boolean) => void) | undefined>(undefined)

const UNREACHABLE = "The service could not be reached. Check your connection; the panel tries again by itself."

interface ErrorBody {
  readonly detail?: string | ReadonlyArray<ValidationItem>
  readonly reason?: string
}

/** Commands of operators reject input in lines, each with the path of its field. */
const FIELD_LINE = /^(?:[\w.]+\.)?([a-z_]+): (.+)$/

const linesOf = (detail: string): ReadonlyArray<FieldProblem> => {
  const found = detail.split("\n").map((line) => FIELD_LINE.exec(line))
  return found.every((one) => one !== null) ? found.map(([, field = "", message = ""]) => ({ field, message })) : []
}

const toError = async (response: Response): Promise<ApiError> => {
  const { headers, status } = response
  const requestId = headers.get("x-request-id") ?? undefined
  const charge = headers.get("vps-charge") ?? undefined
  const { detail, reason }: ErrorBody = await response.json().catch(() => ({}))
  if (typeof detail === "object") {
    const fields = detail.map(({ loc, msg }) => ({ field: String(loc.at(-1)), message: msg }))
    return new ApiError("Some fields need a change.", status, { fields, requestId })
  }
  const text = detail ?? `The service answered with status ${status}. Try again.`
  return new ApiError(text, status, { charge, fields: linesOf(text), reason, requestId })
}

const send = async (method: string, path: string, { body, headers }: CallOptions): Promise<Response> => {
  // The service accepts changes in this type only: a form of another site cannot send it.
  const json = method === "GET" ? {} : { "content-type": "application/json" }
  try {
    return await fetch(API + path, {
      method,
      headers: { ...json, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
  } catch {
    throw new ApiError(UNREACHABLE, 0)
  }
}

/** The reason of the 403 to a call that needs a sign-in within the last minutes. */
const READ_ONLY: typeof ReadOnly = "read_only"
const FRESH_SIGN_IN: typeof FreshSignIn = "fresh_sign_in"

let asked: Promise<boolean> | undefined

/** Calls that are refused at the same time wait for one confirmation. */
const askFresh = (): Promise<boolean> =>
  asked ??= new Promise((resolve) =>
    freshRequest.set((done) => {
      asked = undefined
      freshRequest.set(undefined)
      resolve(done)
    })
  )

/** Its 401 is the answer: the page begins with it. */
const SESSION = "/session"

/** Until the browser has the new cookie of a confirmation, also of one in another tab. */
const COOKIE_MILLIS = 500

/** A confirmation renews the cookie: a request that was under way is refused, and sent again before this is an end. */
const sendSignedIn = async (method: string, path: string, options: CallOptions): Promise<Response> => {
  const response = await send(method, path, options)
  if (response.status !== 401 || path === SESSION) return response
  await new Promise((resolve) => setTimeout(resolve, COOKIE_MILLIS))
  return send(method, path, options)
}

/** Sends a call. If it needs a fresh sign-in, the person is prompted for one, and it is sent again. */
export const request = async (method: string, path: string, options: CallOptions = {}): Promise<unknown> => {
  const response = await sendSignedIn(method, path, options)
  if (response.ok) {
    options.onHeaders?.(response.headers)
    return response.status === 204 ? undefined : await response.json() as unknown
  }
  const error = await toError(response)
  if (error.reason === FRESH_SIGN_IN && await askFresh()) return request(method, path, options)
  if (response.status === 401) signedOut.set(true)
  if (error.reason === READ_ONLY) refusedChanges.set(refusedChanges.get() + 1)
  throw error
}

/** No more than the price on the button is charged. */
export const maxCharge = (shown: { readonly charge_amount: number; readonly currency: string } | undefined) =>
  shown === undefined ? {} : { "vps-max-charge": `${shown.charge_amount} ${shown.currency}` }

/** For a create: the same key for every attempt of one form, so that a lost response never buys twice. */
export const newKey = (): string => crypto.randomUUID()

/** The text that people read about any failure. */
export const messageOf = (error: unknown): string => error instanceof Error ? error.message : String(error)
