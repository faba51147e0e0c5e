/** The states of the panel's screens, for pictures and for tests. */
import type { Page } from "playwright-core"

/** Calls that a page needs in every state: without a session, there is only the sign-in. */
const ALWAYS = /\/session$|\/sign-in\/|\/events$/

const FAILURE = { status: 503, json: { detail: "The database cannot be reached. Retry shortly." } }

/** A response without its rows. */
const emptied = (body: unknown): unknown => {
  if (Array.isArray(body)) return []
  if (typeof body !== "object" || body === null) return body
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, Array.isArray(value) ? [] : value]))
}

/** The states of a screen, by the responses to its requests. */
export const STATES: Readonly<Record<"data" | "empty" | "loading" | "failing", (page: Page) => Promise<unknown>>> = {
  data: () => Promise.resolve(),
  empty: (page) =>
    page.route("**/panel/api/**", async (route) => {
      const request = route.request()
      if (ALWAYS.test(request.url())) return route.fallback()
      const response = await route.fetch()
      const isJson = response.headers()["content-type"]?.includes("json") === true
      return isJson ? route.fulfill({ response, json: emptied(await response.json()) }) : route.fulfill({ response })
    }),
  // Never answered; ends with the page.
  loading: (page) =>
    page.route("**/panel/api/**", (route) => ALWAYS.test(route.request().url()) ? route.fallback() : undefined),
  failing: (page) =>
    page.route(
      "**/panel/api/**",
      (route) => ALWAYS.test(route.request().url()) ? route.fallback() : route.fulfill(FAILURE)
    )
}
