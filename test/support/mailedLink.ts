/** Reads the mails that the mail server of a test received. */
import { setTimeout } from "node:timers/promises"

interface Received {
  readonly to: ReadonlyArray<string>
  readonly content: string
}

/** Undoes quoted-printable (RFC 2045 §6.7). */
const textOf = ({ content }: Received): string =>
  content.replaceAll("=\r\n", "").replaceAll(
    /=([0-9A-F]{2})/g,
    (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16))
  )

/** Takes the next mail to an address with a text in it; waits until it arrives. The test's own timeout bounds it. */
export const nextMail = async (mails: Array<Received>, to: string, text: string): Promise<string> => {
  const at = mails.findIndex((mail) => mail.to.includes(to) && textOf(mail).includes(text))
  if (at !== -1) return textOf(mails.splice(at, 1)[0]!)
  await setTimeout(20)
  return nextMail(mails, to, text)
}

/** The link to the panel in a mail. */
export const linkIn = (mail: string): string => /https?:\/\/\S+\/panel\/[a-z-]+#[\w-]+/.exec(mail)![0]
