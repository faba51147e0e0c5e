/** Redacts URLs for logs and traces, in case a client sends secrets in them. */
import * as UrlParams from "effect/http/UrlParams"
import { redactKeys } from "../../auth/ApiKeyToken.ts"

/** The contract's parameters, which contain no secrets. Any other may be an API key sent by mistake. */
export const SAFE_PARAMETERS = ["dry_run", "limit", "offset", "range"]

/** Matches the names of parameters whose values are redacted. */
export const REDACTED_PARAMETERS: ReadonlyArray<RegExp> = [new RegExp(`^(?!(?:${SAFE_PARAMETERS.join("|")})$)`)]

/** The URL without the values of unknown parameters, and without API keys in its path. */
export const redactUrl = (url: string): string =>
  redactKeys(url.includes("?") ? UrlParams.redactUrl(url, REDACTED_PARAMETERS) : url)
