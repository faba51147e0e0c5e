/** IP addresses in text form. */

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/

/** Leading zeros are refused: some read them as octal. */
const isIpv4 = (text: string): boolean => IPV4.test(text) && !/(?:^|\.)0\d/.test(text)

/** The one way to write it that RFC 5952 allows. */
const compressed = (text: string): string | undefined => {
  if (!/^[0-9a-f:.]+$/i.test(text) || !text.includes(":")) return undefined
  try {
    return new URL(`http://[${text}]/`).hostname.slice(1, -1)
  } catch {
    return undefined
  }
}

/** The same text for the same address; undefined when it is none. Zone ids and prefix lengths are not accepted. */
export const normalise = (text: string): string | undefined => isIpv4(text) ? text : compressed(text)
