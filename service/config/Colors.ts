/** Colors of sRGB, and their contrast as WCAG defines it. */

/** Red, green and blue, each from 0 to 255. */
export type Color = readonly [red: number, green: number, blue: number]

export const WHITE: Color = [255, 255, 255]
export const BLACK: Color = [0, 0, 0]

/** The least contrast of text with its background, by WCAG's level AA. */
export const READABLE = 4.5

/** A color from its text, like `#3451d1`. */
export const colorOf = (text: string): Color => {
  const channel = (index: number) => Number.parseInt(text.slice(index, index + 2), 16)
  return [channel(1), channel(3), channel(5)]
}

export const toText = (color: Color): string =>
  `#${color.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`

const linear = (channel: number): number => {
  const value = channel / 255
  return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
}

const luminance = ([red, green, blue]: Color): number =>
  0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)

/** From 1 to 21. */
export const contrast = (one: Color, other: Color): number => {
  const [low, high] = [luminance(one), luminance(other)].toSorted((a, b) => a - b) as [number, number]
  return (high + 0.05) / (low + 0.05)
}

/** A color with a share of another, from 0 to 1. */
export const mix = (color: Color, other: Color, share: number): Color => {
  const channel = (index: 0 | 1 | 2) => Math.round(color[index] + (other[index] - color[index]) * share)
  return [channel(0), channel(1), channel(2)]
}

const STEPS = 200

/** The first color on the way to another that is as required; the other if none is. */
export const towards = (color: Color, other: Color, isEnough: (color: Color) => boolean): Color => {
  for (let step = 0; step < STEPS; step++) {
    const mixed = mix(color, other, step / STEPS)
    if (isEnough(mixed)) return mixed
  }
  return other
}
