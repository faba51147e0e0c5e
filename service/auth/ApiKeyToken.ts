/** The text of an API key: `vps_live_`, 32 random base62 characters, and 6 more that check them (CRC-32). */
import { randomInt } from "node:crypto"
import { crc32 } from "node:zlib"

export const PREFIX = "vps_live_"
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** 32 base62 characters are 190 bits: beyond guessing. */
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

/** The key whose random part is `body`: for a fixed key of the emulator. */
export const fromBody = (body: string): string => `${PREFIX}${body}${checksum(body)}`

/** A new random key. */
export const mint = (): string =>
  fromBody(Array.from({ length: BODY_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join(""))

/** Shape and checksum: a mistyped or foreign token is refused before the database is asked. */
export const isWellFormed = (token: string): boolean => {
  const body = token.slice(PREFIX.length, PREFIX.length + BODY_LENGTH)
  return /^[0-9A-Za-z]+$/.test(body) && fromBody(body) === token
}

const LOOKS_LIKE_ONE = new RegExp(`${PREFIX}\\w+`, "g")

/** A text that is to be written down, without what looks like a key: people put keys where they do not belong. */
export const withoutKeys = (text: string): string =>
  text.includes(PREFIX) ? text.replace(LOOKS_LIKE_ONE, `${PREFIX}REDACTED`) : text
