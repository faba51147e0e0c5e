/** The host's own name, logo, color, and links, which customers see in the panel and in mail. */
import { BLACK, colorOf, contrast, READABLE, toText, towards, WHITE } from "./Colors.ts"
import { InvalidSetting, link, type Setting, shortText, text } from "./Setting.ts"

/** Longest name, in characters: the phone's header has one line. */
const NAME_MAX = 40

/** The color of buttons, whose text is white. */
const color: Setting<string> = {
  flag: "brand-color",
  environment: "VPS_SERVICE_BRAND_COLOR",
  unit: "#rrggbb",
  fallback: "",
  reason:
    "The color of the panel's buttons and links. Dark mode and backgrounds get shades of it. Button text is white, "
    + "so a light color is refused.",
  schema: { type: "string", pattern: "^#[0-9A-Fa-f]{6}$" },
  expected: "a color like \"#3451d1\", with the quotes in a config file",
  parse: (value) => /^#[\da-f]{6}$/i.test(value) ? value.toLowerCase() : undefined
}

export const BRAND = {
  brandName: shortText(NAME_MAX, {
    flag: "brand-name",
    environment: "VPS_SERVICE_BRAND_NAME",
    fallback: "",
    reason: "Your name as a host. The panel, its sign-in page and mail show it."
  }),
  brandLogo: text({
    flag: "brand-logo",
    environment: "VPS_SERVICE_BRAND_LOGO",
    unit: "path of an SVG or PNG file of at most 100 KB",
    fallback: "",
    reason: "Your logo, which the panel shows beside the name, and browsers in the tab. Read when the service starts."
  }),
  brandColor: color,
  supportUrl: link(["https", "mailto"], {
    flag: "support-url",
    environment: "VPS_SERVICE_SUPPORT_URL",
    reason: "Where customers reach you, like mailto:support@example.com. The panel and mail link to it."
  }),
  imprintUrl: link(["https"], {
    flag: "imprint-url",
    environment: "VPS_SERVICE_IMPRINT_URL",
    reason: "Your imprint, which the panel links to on each page."
  }),
  termsUrl: link(["https"], {
    flag: "terms-url",
    environment: "VPS_SERVICE_TERMS_URL",
    reason: "Your terms of service, which the panel links to on each page."
  }),
  privacyUrl: link(["https"], {
    flag: "privacy-url",
    environment: "VPS_SERVICE_PRIVACY_URL",
    reason: "Your privacy policy, which the panel links to on each page."
  })
} as const

/** Throws `InvalidSetting` if white text on the color could not be read. */
export const assertBrandColor = (value: string, source = `--${color.flag}`): void => {
  if (value === "") return
  const found = contrast(colorOf(value), WHITE)
  if (found >= READABLE) return
  const darker = towards(colorOf(value), BLACK, (one) => contrast(one, WHITE) >= READABLE)
  throw new InvalidSetting({
    message: `${source} is too light for the white text of buttons: the contrast of ${value} with white is `
      + `${Math.floor(found * 10) / 10}, and ${READABLE} is required. Use a darker color, like `
      + `${toText(darker)}.`,
    isUsage: source.startsWith("--")
  })
}
