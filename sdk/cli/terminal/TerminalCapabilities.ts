/** The capabilities of an output stream: its width, colors, and redrawing. */
import { sanitize } from "#contract/Text"
import type { Environment } from "../Environment.ts"

export interface TerminalCapabilities {
  /** True when the stream is a terminal. */
  readonly isTerminal: boolean
  /** Width in columns; infinite when the stream is not a terminal. */
  readonly columns: number
  readonly colors: boolean
  /** True when a line can be redrawn in place. */
  readonly canRedraw: boolean
}

interface Stream {
  readonly isTTY?: boolean
  readonly columns?: number
}

/** The width of a terminal that does not report it. */
const COLUMNS = 80

export const detectCapabilities = (
  stream: Stream,
  { allowsColor, isDumbTerminal }: Environment
): TerminalCapabilities => {
  const isTerminal = stream.isTTY === true
  return {
    isTerminal,
    // A pseudoterminal may report 0.
    columns: isTerminal ? stream.columns || COLUMNS : Number.POSITIVE_INFINITY,
    colors: isTerminal && allowsColor,
    canRedraw: isTerminal && !isDumbTerminal
  }
}

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const
export type Style = keyof typeof CODES

/** Styles a text where colors are supported. */
export const paint = (
  { colors }: Pick<TerminalCapabilities, "colors">,
  style: Style | undefined,
  text: string
): string => colors && style !== undefined && text !== "" ? `\u001b[${CODES[style]}m${text}\u001b[0m` : text

/** The same in each line of a text. */
export const sanitizeLines = (text: string): string => text.split("\n").map(sanitize).join("\n")
