/** The definition of a machine's VNC server. */
import { randomBytes } from "node:crypto"
import { escape } from "./MachineRecord.ts"

/** Base64url text of eight characters, which is all that VNC compares. */
const PASSWORD_BYTES = 6

export const newPassword = (): string => randomBytes(PASSWORD_BYTES).toString("base64url")

/** UTC without a zone, as libvirt reads it. */
const toXmlTime = (millis: number): string => new Date(millis).toISOString().slice(0, "2026-01-02T03:04:05".length)

/** Listens at an address of the host; a password is valid for a while. */
export const tcpScreen = (address: string, password: string, validUntil: number): string =>
  `<graphics type="vnc" autoport="yes" passwd="${password}" passwdValidTo="${toXmlTime(validUntil)}">`
  + `<listen type="address" address="${escape(address)}"/></graphics>`

const EXPIRED = 0

/**
 * On the service's computer, the server listens on a Unix socket, which the permissions of its folder protect.
 * Elsewhere it listens at the address over which the service reaches the host. Its password has expired already,
 * because without one QEMU would admit any client.
 */
export const screenXml = (address: string | null): string =>
  address === null
    ? `<graphics type="vnc"><listen type="socket"/></graphics>`
    : tcpScreen(address, newPassword(), EXPIRED)

/** The definition of a machine, as libvirt writes it, with its VNC server at another host's address. */
export const withScreenAt = (definition: string, address: string): string => {
  const start = definition.indexOf("<graphics type='vnc'")
  const end = definition.indexOf("</graphics>", start)
  if (start < 0 || end < 0) return definition
  const screen = definition.slice(start, end).replaceAll(
    / (listen|address)='[^']*'/g,
    (_, name: string) => ` ${name}='${escape(address)}'`
  )
  return definition.slice(0, start) + screen + definition.slice(end)
}
