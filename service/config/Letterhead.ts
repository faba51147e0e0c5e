/** The facts about the host that each mail has: its time zone, and the address of its panel. */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import type { Values } from "./Config.ts"

interface Letterhead {
  /** A moment in the host's time zone, which it names. */
  readonly dateOf: (epochMillis: number) => string
  /** The address of a page below /panel; undefined if the panel has no public address. */
  readonly pageOf: (page: string) => string | undefined
}

/** Without am and pm: a deadline at 12 o'clock has to be clear. */
const FORMAT = {
  year: "numeric",
  month: "long",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
  timeZoneName: "short"
} as const

export const make = ({ panelUrl, timeZone }: Pick<Values, "panelUrl" | "timeZone">): Letterhead => {
  const format = new Intl.DateTimeFormat("en-US", { ...FORMAT, timeZone })
  return {
    dateOf: (epochMillis) => format.format(epochMillis),
    pageOf: (page) => panelUrl === "" ? undefined : `${new URL(panelUrl).origin}/panel/${page}`
  }
}

export const Letterhead = Context.Reference<Letterhead>("@pulumi-vps/service/Letterhead", {
  defaultValue: () => make({ panelUrl: "", timeZone: "UTC" })
})

export const layer = (settings: Parameters<typeof make>[0]): Layer.Layer<never> =>
  Layer.succeed(Letterhead, make(settings))
