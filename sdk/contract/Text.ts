/** Texts of other people in a terminal. */

/**
 * The characters by which a text could control the terminal, or show something other than it contains: C1 controls,
 * line separators, and controls of the text's direction. C0 controls come on top: JSON escapes them itself.
 */
const DECEPTIVE = "\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069"

const UNSAFE = new RegExp(`[\\u0000-\\u001f${DECEPTIVE}]`, "g")

/** Replaces control characters in a text of a response. */
export const sanitize = (text: string): string => text.replaceAll(UNSAFE, "?")

const UNESCAPED = new RegExp(`[${DECEPTIVE}]`, "g")

/** Adds the escapes that `JSON.stringify` omits. */
export const escapeJson = (text: string): string =>
  text.replaceAll(UNESCAPED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
