/** Passkeys: the browser's own conversion between the service's JSON and credentials. */
import { type BodyOf, type CallName, type ResponseOf, send } from "./calls.ts"

/** The person closed the browser's dialog, or it timed out. */
const CANCELLED = "No passkey was used. Try again, or sign in by a link."

/** The challenges of the service, in the form of the WebAuthn standard's JSON. */
type RequestOptions = Parameters<typeof PublicKeyCredential.parseRequestOptionsFromJSON>[0]
type CreationOptions = Parameters<typeof PublicKeyCredential.parseCreationOptionsFromJSON>[0]

export const supportsPasskeys = (): boolean => "PublicKeyCredential" in window && window.isSecureContext

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
