/** The callers of the panel, as handlers receive them. */
import type { Caller } from "../../domain/Caller.ts"
import type { Browser } from "../../people/Party.ts"
import type { SignedIn } from "../../people/SignIn.ts"

/** A browser, signed in or not. */
export interface Visit {
  readonly browser: Browser
  /** Scheme, host and port under which the browser reached the panel. */
  readonly origin: string
  /** The session's token that the browser sent; undefined without one. */
  readonly token: string | undefined
  readonly requestId: string | null
}

/** A person with a session. */
export interface Visitor extends Visit, SignedIn {}

/** A member of the account in the path. */
export interface Member extends Visitor {
  readonly caller: Caller
}
