/** Host names as RFC 1123 defines them. */

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

/** Longest host name in text form, RFC 1035 §2.3.4 less the root's dot and length byte. */
const MAX_LENGTH = 253

/** Programs read a name that ends in a number as an IPv4 address: `10.0.0.1`, `10.1`, or `7`. */
const ENDS_IN_NUMBER = /(?:^|\.)\d+$/

/**
 * Letters, digits and inner hyphens in labels of 1 to 63 characters, joined by dots. RFC 1123 §2.1 keeps names distinct
 * from addresses in dotted decimal by their last label.
 */
export const isHostName = (text: string): boolean =>
  text.length <= MAX_LENGTH && !ENDS_IN_NUMBER.test(text) && text.split(".").every((label) => LABEL.test(label))

/** A PTR record's target may be written as a rooted name, with one trailing dot. */
export const isPtrTarget = (text: string): boolean => isHostName(text.endsWith(".") ? text.slice(0, -1) : text)

/** Completes "Value error, ..." for a field that is not a host name. */
export const HOST_NAME_PROBLEM =
  "should be a host name: letters, digits and hyphens in labels of up to 63 characters, joined by dots. "
  + "The last label should not be a number"
