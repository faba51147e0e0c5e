/** Public SSH keys in the one-line form of `authorized_keys`. */

const TYPES = [
  "ssh-ed25519",
  "ssh-rsa",
  "ecdsa-sha2-nistp256",
  "ecdsa-sha2-nistp384",
  "ecdsa-sha2-nistp521",
  "sk-ssh-ed25519@openssh.com",
  "sk-ecdsa-sha2-nistp256@openssh.com"
]

/** The first 4 bytes of the blob contain the length of the type's name (RFC 4253 §6.6). */
const LENGTH_BYTES = 4

/** The type named inside the blob; undefined if the blob is not base64, or too short to name one. */
const typeInside = (blob: string): string | undefined => {
  if (blob.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(blob)) return undefined
  const bytes = Buffer.from(blob, "base64")
  if (bytes.length <= LENGTH_BYTES) return undefined
  const length = bytes.readUInt32BE()
  // Key material must follow the name.
  if (LENGTH_BYTES + length >= bytes.length) return undefined
  return bytes.toString("latin1", LENGTH_BYTES, LENGTH_BYTES + length)
}

/** The problem of a public key, in words that say how to fix it; undefined if it is well-formed. */
export const sshKeyProblem = (text: string): string | undefined => {
  if (/[\r\n]/.test(text.trim())) return "should be a single public key on one line"
  const [type, blob] = text.trim().split(/[ \t]+/) as [string, string?]
  if (blob === undefined) return "should be a type and a base64 key, as in a .pub file"
  if (!TYPES.includes(type)) return `has an unsupported type; use one of ${TYPES.join(", ")}`
  const inside = typeInside(blob)
  if (inside === undefined) return "has a base64 part that does not decode to a key"
  return inside === type ? undefined : `is labeled ${type}, but its base64 part contains another type`
}
