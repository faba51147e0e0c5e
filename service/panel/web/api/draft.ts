/** The order that is being filled in, in its tab: it survives a session that ends. Passwords are not in it. */
import type { CreateInstance } from "@pulumi-vps/contract/Instance"

export interface Draft {
  readonly account: number
  readonly body: Omit<CreateInstance, "root_password">
  readonly access: "key" | "password"
  /** The idempotency key of all attempts: the order may have been sent when the session ended. */
  readonly key: string
  /** The session ended meanwhile: the form continues with it. Otherwise, a page that is opened again begins empty. */
  readonly continues?: boolean
}

const DRAFT = "draft"

const read = (): Draft | undefined => {
  try {
    return (JSON.parse(sessionStorage.getItem(DRAFT) ?? "null") as Draft | null) ?? undefined
  } catch {
    // Of another version of the panel.
    return undefined
  }
}

export const saveDraft = (draft: Draft): void => sessionStorage.setItem(DRAFT, JSON.stringify(draft))

export const deleteDraft = (): void => sessionStorage.removeItem(DRAFT)

/** The session has ended. */
export const continueDraft = (): void => {
  const draft = read()
  if (draft !== undefined) saveDraft({ ...draft, continues: true })
}

/** Of the account, if the session ended while it was filled in. */
export const draftOf = (account: number): Draft | undefined => {
  const draft = read()
  return draft?.continues === true && draft.account === account ? draft : undefined
}
