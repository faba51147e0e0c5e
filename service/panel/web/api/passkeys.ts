/** Passkeys: the browser's own conversion between the service's JSON and credentials. */
import { post } from "./client.ts"

/** The person closed the browser's dialog, or it timed out. */
const CANCELLED = "No passkey was used. Try again, or sign in by a link."

/** The challenges of the service, in the form of the WebAuthn standard's JSON. */
type RequestOptions = Parameters<typeof PublicKeyCredential.parseRequestOptionsFromJSON>[0]
type CreationOptions = Parameters<typeof PublicKeyCredential.parseCreationOptionsFromJSON>[0]

export const supportsPasskeys = (): boolean => "PublicKeyCredential" in window && window.isSecureContext

const credentialJson = (credential: Credential | null): object => {
  if (!(credential instanceof PublicKeyCredential)) throw new Error(CANCELLED)
  return credential.toJSON() as object
}

const refused = (error: unknown): never => {
  throw error instanceof DOMException && error.name !== "InvalidStateError" ? new Error(CANCELLED) : error
}

/** Signs the challenge of `path/options` with a passkey, and sends the signature to `path`. */
export const assertPasskey = async <T>(path: string): Promise<T> => {
  const options = await post<RequestOptions>(`${path}/options`)
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const credential = await navigator.credentials.get({ publicKey }).catch(refused)
  return post<T>(path, { credential: credentialJson(credential) })
}

/** Makes a passkey and stores its public half. */
export const createPasskey = async (name: string): Promise<void> => {
  const options = await post<CreationOptions>("/me/passkeys/options")
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const credential = await navigator.credentials.create({ publicKey }).catch(refused)
  await post("/me/passkeys", { name, credential: credentialJson(credential) })
}
