/**
 * The verification of passkeys, by a library that takes longer to load than the rest of the panel: it is loaded with
 * the first use of a passkey. The interface has plain values only.
 */
import {
  type AuthenticationResponseJSON,
  type AuthenticatorTransport,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse
} from "@simplewebauthn/server"

/** The panel, as authenticators know it. */
export interface Party {
  /** The domain to which passkeys belong. */
  readonly domain: string
  /** Of the page, like https://vps.example.com. */
  readonly origin: string
  /** The host's name, which devices show beside the passkey. */
  readonly name?: string
}

/** A stored passkey. */
export interface StoredKey {
  readonly credential: string
  readonly publicKey: string
  readonly counter: number
  readonly transports: string
}

/** Ed25519, ECDSA with P-256, and RSA: what devices have, and what Node.js verifies without experimental parts. */
const ALGORITHMS = [-8, -7, -257]

const NAME = "VPS panel"

const transportsOf = ({ transports }: StoredKey) =>
  transports.split(",").filter((one) => one !== "") as Array<AuthenticatorTransport>

const listed = (keys: ReadonlyArray<StoredKey>) =>
  keys.map((key) => ({ id: key.credential, transports: transportsOf(key) }))

/** The bytes of a challenge, which the library would otherwise encode again. */
const bytes = (base64url: string) => new Uint8Array(Buffer.from(base64url, "base64url"))

interface NewKeyOptions {
  readonly party: Party
  readonly challenge: string
  /** In base64url. */
  readonly handle: string
  readonly email: string
  readonly name: string
  /** Keys that the person has: a device makes only one. */
  readonly existing: ReadonlyArray<StoredKey>
}

export const creationOptions = ({ challenge, email, existing, handle, name, party }: NewKeyOptions) =>
  generateRegistrationOptions({
    rpName: party.name ?? NAME,
    rpID: party.domain,
    userID: bytes(handle),
    userName: email,
    userDisplayName: name,
    challenge: bytes(challenge),
    attestationType: "none",
    excludeCredentials: listed(existing),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    supportedAlgorithmIDs: ALGORITHMS
  })

/** Without keys, the device offers those that it has for the domain. */
export const requestOptions = (party: Party, challenge: string, keys: ReadonlyArray<StoredKey>) =>
  generateAuthenticationOptions({
    rpID: party.domain,
    challenge: bytes(challenge),
    userVerification: "required",
    ...(keys.length === 0 ? {} : { allowCredentials: listed(keys) })
  })

/** The verified key; undefined if the response is not valid. */
export const verifyCreation = async ({ domain, origin }: Party, challenge: string, response: unknown) => {
  const result = await verifyRegistrationResponse({
    response: response as RegistrationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: domain,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS
  }).catch(() => undefined)
  if (result?.verified !== true) return undefined
  const { credential, credentialBackedUp } = result.registrationInfo
  return {
    credential: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString("base64url"),
    counter: credential.counter,
    transports: (credential.transports ?? []).join(","),
    backedUp: credentialBackedUp
  }
}

/** The key's new counter; undefined if the response is not valid. */
export const verifyUse = async ({ domain, origin }: Party, challenge: string, key: StoredKey, response: unknown) => {
  const result = await verifyAuthenticationResponse({
    response: response as AuthenticationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: domain,
    requireUserVerification: true,
    credential: {
      id: key.credential,
      publicKey: bytes(key.publicKey),
      counter: key.counter,
      transports: transportsOf(key)
    }
  }).catch(() => undefined)
  return result?.verified === true ? result.authenticationInfo.newCounter : undefined
}
