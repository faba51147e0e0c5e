/** The signed-in person, and the account that the page works with; signing in with passkeys. */
import type { CurrentSession, OpenInvitation } from "../../contract/Session.ts"
import { type BodyOf, type CallName, type ResponseOf, send } from "./calls.ts"
import { ApiError, refusedChanges, signedOut } from "./client.ts"
import { branding } from "./branding.ts"
import { continueDraft, deleteDraft } from "./draft.ts"
import { forget } from "./query.ts"
import { makeStore, useStore } from "./store.ts"

type State =
  | { readonly kind: "loading" }
  /** `ended` if the person was at work, and did not sign out. */
  | { readonly kind: "out"; readonly ended?: boolean }
  | { readonly kind: "failed"; readonly error: ApiError }
  | { readonly kind: "in"; readonly session: CurrentSession }

export const sessionState = makeStore<State>({ kind: "loading" })

/** A session that the service has just described. */
export const enter = (session: CurrentSession): void => {
  signedOut.set(false)
  sessionState.set({ kind: "in", session })
}

export const loadSession = async (): Promise<void> => {
  try {
    enter(await send("GET /session"))
  } catch (error) {
    const known = error instanceof ApiError ? error : new ApiError(String(error), 0)
    if (known.status === 401) continueDraft()
    sessionState.set(known.status === 401 ? { kind: "out" } : { kind: "failed", error: known })
  }
}

/** A session that ended elsewhere shows the sign-in; afterwards the person is where they were. */
signedOut.subscribe(() => {
  if (!signedOut.get()) return
  continueDraft()
  sessionState.set({ kind: "out", ended: sessionState.get().kind === "in" })
})

/** Another member has taken full access away meanwhile. */
refusedChanges.subscribe(() => void send("GET /session").then(enter, () => undefined))

export const signOut = async (): Promise<void> => {
  await send("POST /sign-out")
  forget()
  deleteDraft()
  sessionState.set({ kind: "out" })
}

/** For components inside of the shell, which is only shown to people who are signed in. */
export const useSession = (): CurrentSession => {
  const state = useStore(sessionState)
  if (state.kind !== "in") throw new Error("No session")
  return state.session
}

/** The token of a link that signs in, or that accepts an invitation. */
export const linkToken = (): string | undefined => /^#([\w-]{20,})$/.exec(location.hash)?.[1]

export const invitationText = ({ account, invited_by: by, permission }: OpenInvitation): string =>
  `${by ?? branding.name ?? "Your host"} invites you to ${
    account === null ? "the panel as an operator" : `the account ${account}`
  }.${permission === "read" ? " You will see it, and not change it." : ""}`

const ACCOUNT = "account"

const chosenAccount = makeStore(Number(sessionStorage.getItem(ACCOUNT) ?? localStorage.getItem(ACCOUNT) ?? 0))

/** In this tab, and in tabs that are opened later. */
export const chooseAccount = (id: number): void => {
  sessionStorage.setItem(ACCOUNT, String(id))
  localStorage.setItem(ACCOUNT, String(id))
  chosenAccount.set(id)
}

/** The account that the page works with; undefined for an operator who is not a member of one. */
export const useAccount = () => {
  const { accounts } = useSession()
  const id = useStore(chosenAccount)
  return accounts.find((one) => one.id === id) ?? accounts[0]
}

/** The currency of the current account's amounts. */
export const useCurrency = (): string => {
  const { currency } = useSession()
  return useAccount()?.currency ?? currency ?? "EUR"
}

/** The parameter of the calls of the current account. */
export const useAccountId = (): number => useAccount()?.id ?? 0

/** The person closed the browser's dialog, or it timed out. */
const CANCELLED = "No passkey was used. Try again, or sign in by a link."

/** The challenges of the service, in the form of the WebAuthn standard's JSON. */
type RequestOptions = Parameters<typeof PublicKeyCredential.parseRequestOptionsFromJSON>[0]
type CreationOptions = Parameters<typeof PublicKeyCredential.parseCreationOptionsFromJSON>[0]

const LOOPBACK = /^127\.[\d.]+$|^\[::1\]$/
const ADDRESS = /^[\d.]+$|^\[/

/** The reason why passkeys cannot be used here, and the remedy; undefined if they can. */
export const passkeyProblem = (): string | undefined => {
  const { hostname, origin } = location
  if (LOOPBACK.test(hostname)) {
    const local = origin.replace(hostname, "localhost")
    return `Passkeys do not work at an IP address. Open ${local} instead.`
  }
  if (ADDRESS.test(hostname)) return "Passkeys do not work at an IP address. Open the panel by its name."
  if (!window.isSecureContext) return "Passkeys need https. Open the panel at an https address."
  return "PublicKeyCredential" in window ? undefined : "This browser does not support passkeys. Update it."
}

/** The service's form of the standard's JSON. */
type CredentialJson = ReturnType<PublicKeyCredential["toJSON"]> & BodyOf<"POST /sign-in/passkey">["credential"]

const credentialJson = (credential: Credential | null): CredentialJson => {
  if (!(credential instanceof PublicKeyCredential)) throw new Error(CANCELLED)
  return credential.toJSON() as CredentialJson
}

const refused = (error: unknown): never => {
  throw error instanceof DOMException && error.name !== "InvalidStateError" ? new Error(CANCELLED) : error
}

/** The calls that take a signed challenge, which the same path with `/options` makes. */
type Asserting = Extract<CallName, "POST /sign-in/passkey" | "POST /session/fresh">

/** Signs a challenge with a passkey, and sends the signature. */
export const assertPasskey = async <Name extends Asserting>(name: Name): Promise<ResponseOf<Name>> => {
  const options = await send<`${Asserting}/options`>(`${name}/options`)
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as unknown as RequestOptions)
  const credential = await navigator.credentials.get({ publicKey }).catch(refused)
  return send<Asserting>(name, { body: { credential: credentialJson(credential) } })
}

/** Makes a passkey and stores its public half. */
export const createPasskey = async (name: string): Promise<void> => {
  const options = await send("POST /me/passkeys/options")
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as unknown as CreationOptions)
  const credential = await navigator.credentials.create({ publicKey }).catch(refused)
  await send("POST /me/passkeys", { body: { name, credential: credentialJson(credential) } })
}
