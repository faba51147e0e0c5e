/** What a stream can show: its width, and whether it takes colours and moving lines. */
import type { Environment } from "../Config.ts"

export interface Surface {
  /** A person looks at it. */
  readonly terminal: boolean
  /** Columns; without end where nobody looks. */
  readonly columns: number
  readonly colours: boolean
  /** A line can be drawn over. */
  readonly redraws: boolean
}

interface Stream {
  readonly isTTY?: boolean
  readonly columns?: number
}

/** Columns of a terminal that does not tell. */
const COLUMNS = 80

export const surfaceOf = (stream: Stream, { allowsColour, dumb }: Environment): Surface => {
  const terminal = stream.isTTY === true
  return {
    terminal,
    // A terminal that was opened by a program may say 0.
    columns: terminal ? stream.columns || COLUMNS : Number.POSITIVE_INFINITY,
    colours: terminal && allowsColour,
    redraws: terminal && !dumb
  }
}

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const
export type Style = keyof typeof CODES

/** The text in a style, where the surface takes colours. */
export const paint = ({ colours }: Pick<Surface, "colours">, style: Style | undefined, text: string): string =>
  colours && style !== undefined && text !== "" ? `\u001b[${CODES[style]}m${text}\u001b[0m` : text

/** What came from a host may hold control characters, which a terminal would obey. */
// oxlint-disable-next-line no-control-regex
export const harmless = (text: string): string => text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, "?")
