/**
 * The cookie of a session, and the refusal of requests that another site makes with it (cross-site request
 * forgery).
 */
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"

const NAME = "__Host-session"
const ATTRIBUTES = "Path=/; Secure; HttpOnly; SameSite=Lax"

/** The token that a request carries; undefined without one, or with two, of which either may be an attacker's. */
export const tokenOf = ({ headers }: HttpServerRequest): string | undefined => {
  const values = (headers["cookie"] ?? "").split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${NAME}=`))
    .map((pair) => pair.slice(NAME.length + 1))
  return values.length === 1 && values[0] !== "" ? values[0] : undefined
}

/** Gives the browser a session; one that has ended on our side is refused, however long the browser keeps it. */
export const withSession = (response: HttpServerResponse.HttpServerResponse, token: string, millis: number) =>
  HttpServerResponse.setHeader(
    response,
    "set-cookie",
    `${NAME}=${token}; ${ATTRIBUTES}; Max-Age=${Math.floor(millis / 1_000)}`
  )

export const withoutSession = (response: HttpServerResponse.HttpServerResponse) =>
  HttpServerResponse.setHeader(response, "set-cookie", `${NAME}=; ${ATTRIBUTES}; Max-Age=0`)

const JSON_TYPE = /^application\/json\s*(?:;|$)/i

/** True if our own page makes the request: by the browser's word, else by its origin. */
const isOwnPage = (
  { headers }: Pick<HttpServerRequest, "headers">,
  origins: ReadonlyArray<string>
): boolean => {
  const site = headers["sec-fetch-site"]
  return site === undefined ? origins.includes(headers["origin"] ?? "") : site === "same-origin"
}

/** The reason to refuse a request; undefined if it may pass. Reading is safe: no other site sees the response. */
export const originRejection = (request: HttpServerRequest, origins: ReadonlyArray<string>): string | undefined => {
  if (request.method === "GET" || request.method === "HEAD") return undefined
  if (!isOwnPage(request, origins)) {
    return "Only the panel's own pages may do that. If you are on one, the proxy before the service hides its address: "
      + "see --trusted-proxies."
  }
  // A form of another site cannot send this type.
  return request.method === "DELETE" || JSON_TYPE.test(request.headers["content-type"] ?? "")
    ? undefined
    : "Send the request with the content type application/json."
}
