/** IP addresses in text form. */

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/

/** Leading zeros are rejected: some parsers read them as octal. */
const isIpv4 = (text: string): boolean => IPV4.test(text) && !/(?:^|\.)0\d/.test(text)

/** The canonical text of RFC 5952. */
const compressed = (text: string): string | undefined => {
  if (!/^[0-9a-f:.]+$/i.test(text) || !text.includes(":")) return undefined
  try {
    return new URL(`http://[${text}]/`).hostname.slice(1, -1)
  } catch {
    return undefined
  }
}

/** The canonical text of an address; undefined if it is invalid. Zone ids and prefix lengths are not accepted. */
export const normalize = (text: string): string | undefined => isIpv4(text) ? text : compressed(text)
