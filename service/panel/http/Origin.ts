/** Refuses requests that another site makes with the cookie of a person (cross-site request forgery). */
import type { HttpServerRequest } from "effect/http/HttpServerRequest"

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
