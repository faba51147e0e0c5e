/** The acts of people in the audit log. */
import { type Act, record } from "../audit/Audit.ts"
import type { Caller } from "../domain/Caller.ts"
import type { Person } from "../persistence/people/People.ts"

/** A browser, as it describes itself. */
export interface Browser {
  readonly address: string
  readonly agent: string
}

/** A person who acts. */
export interface By {
  readonly person: Person
  readonly browser: Browser
  readonly requestId: string | null
}

/** A member of an account who acts in it. */
export interface ByMember extends By {
  readonly caller: Pick<Caller, "accountId">
}

/** The author of an act. */
export const actorOf = ({ browser, person, requestId }: By): Act["actor"] => ({
  kind: "person",
  personId: person.id,
  name: person.email,
  from: browser.address,
  requestId
})

/** Records an act of a person, as part of the caller's transaction. */
export const recordBy = (by: By, act: Omit<Act, "actor">) => record({ ...act, actor: actorOf(by) })
