/** Host names as RFC 1123 defines them. */

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

/** Longest host name in text form, RFC 1035 §2.3.4 less the root's dot and length byte. */
const MAX_LENGTH = 253

/** Letters, digits and inner hyphens in labels of 1 to 63 characters, joined by dots. */
export const isHostName = (text: string): boolean =>
  text.length <= MAX_LENGTH && text.split(".").every((label) => LABEL.test(label))

/** A PTR record's target may be written as a rooted name, with one trailing dot. */
export const isPtrTarget = (text: string): boolean => isHostName(text.endsWith(".") ? text.slice(0, -1) : text)

/** Completes "Value error, ..." for a field that is not a host name. */
export const HOST_NAME_PROBLEM =
  "should be a host name: letters, digits and hyphens in labels of up to 63 characters, joined by dots"
