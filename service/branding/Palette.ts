/** The shades of the host's color: for buttons, for text and marks, and for soft backgrounds, in both themes. */
import { BLACK, type Color, colorOf, contrast, mix, READABLE, toText, towards, WHITE } from "../config/Colors.ts"

/** The darkest background of text in light mode and the lightest one in dark mode: `--hover` of the styles. */
const LIGHT_GROUND = colorOf("#eef0f4")
const DARK_GROUND = colorOf("#20252d")

/** The background of pages in dark mode. */
const DARK_PAGE = colorOf("#171a20")

/** Contrast of a button with the page around it. */
const VISIBLE = 3

/** Above what is required: other backgrounds are a little darker or lighter. */
const TEXT = READABLE + 0.3

const SOFT_LIGHT = 0.1
const SOFT_DARK = 0.24

const isReadableOn = (...grounds: ReadonlyArray<Color>) => (color: Color) =>
  grounds.every((ground) => contrast(color, ground) >= TEXT)

/** The custom properties that replace those of `base.css`. */
export const stylesheetOf = (text: string): string => {
  const color = colorOf(text)
  const softLight = mix(WHITE, color, SOFT_LIGHT)
  const softDark = mix(DARK_PAGE, color, SOFT_DARK)
  const accentLight = towards(color, BLACK, isReadableOn(LIGHT_GROUND, softLight))
  const accentDark = towards(color, WHITE, isReadableOn(DARK_GROUND, softDark))
  const fillDark = towards(color, WHITE, (one) => contrast(one, DARK_PAGE) >= VISIBLE)
  const both = (light: Color, dark: Color) => `light-dark(${toText(light)}, ${toText(dark)})`
  return `:root {
  --accent: ${both(accentLight, accentDark)};
  --accent-fill: ${both(color, fillDark)};
  --accent-soft: ${both(softLight, softDark)};
}
`
}
