/** The cookie of a session. Its prefix makes browsers accept it from this host over a secure connection only. */
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

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
