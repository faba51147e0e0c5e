/** The token of an API key: `vps_live_`, 32 random base62 characters, and 6 of their checksum (CRC-32). */
import { randomInt } from "node:crypto"
import { crc32 } from "node:zlib"

export const PREFIX = "vps_live_"
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** 32 base62 characters are 190 bits, which cannot be guessed. */
const BODY_LENGTH = 32

/** 6 base62 characters hold the 32 bits of the checksum. */
const CHECK_LENGTH = 6

const checksum = (body: string): string => {
  let rest = crc32(body)
  let digits = ""
  for (let place = 0; place < CHECK_LENGTH; place++) {
    digits = ALPHABET[rest % ALPHABET.length] + digits
    rest = Math.floor(rest / ALPHABET.length)
  }
  return digits
}

/** The token whose random part is `body`. The emulator has a fixed one. */
export const tokenOf = (body: string): string => `${PREFIX}${body}${checksum(body)}`

/** A new random token. */
export const generateToken = (): string =>
  tokenOf(Array.from({ length: BODY_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join(""))

/** Checks format and checksum, so that a mistyped or foreign token is rejected without a database query. */
export const isWellFormed = (token: string): boolean => {
  const body = token.slice(PREFIX.length, PREFIX.length + BODY_LENGTH)
  return /^[0-9A-Za-z]+$/.test(body) && tokenOf(body) === token
}

const TOKENS = new RegExp(`${PREFIX}\\w+`, "g")

/** Redacts tokens from a text that is logged or stored, because users put them in the wrong places. */
export const redactKeys = (text: string): string =>
  text.includes(PREFIX) ? text.replace(TOKENS, `${PREFIX}REDACTED`) : text
