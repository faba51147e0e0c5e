/** How a URL may be written down, in logs and traces: without what somebody put there who should not have. */
import * as UrlParams from "effect/http/UrlParams"
import { withoutKeys } from "../../auth/ApiKeyToken.ts"

/** The parameters of the contract, which hold no secrets. Any other may be a key: people put keys there. */
export const SAFE_PARAMETERS = ["dry_run", "limit", "offset", "range"]

/** Names whose values are not written down. */
export const REDACTED_PARAMETERS: ReadonlyArray<RegExp> = [new RegExp(`^(?!(?:${SAFE_PARAMETERS.join("|")})$)`)]

/** The URL without hidden values, and without keys in its path. */
export const redactUrl = (url: string): string =>
  withoutKeys(url.includes("?") ? UrlParams.redactUrl(url, REDACTED_PARAMETERS) : url)
