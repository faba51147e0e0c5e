/** Buttons, and links that look like them. */
import type { ButtonHTMLAttributes, ComponentChildren } from "preact"
import { Icon, type IconName } from "./Icon.tsx"

type Kind = "primary" | "plain" | "danger" | "quiet"

interface Look {
  readonly kind?: Kind
  readonly icon?: IconName
  readonly children?: ComponentChildren
}

export interface ButtonProps extends Look, Omit<ButtonHTMLAttributes<HTMLButtonElement>, "icon" | "children"> {
  /** True while its action runs: the button keeps its size and place, and cannot be pressed again. */
  readonly busy?: boolean
}

export const Button = ({ busy = false, children, disabled, icon, kind = "plain", ...rest }: ButtonProps) => (
  <button type="button" {...rest} class={`button ${kind}`} aria-busy={busy} disabled={busy || disabled === true}>
    {icon !== undefined && <Icon name={icon} />}
    {children}
  </button>
)

/** Only an icon, with a name for those who do not see it. */
export const IconButton = (
  { icon, label, ...rest }:
    & { readonly icon: IconName; readonly label: string }
    & ButtonHTMLAttributes<HTMLButtonElement>
) => (
  <button type="button" {...rest} class="button quiet only-icon" aria-label={label} title={label}>
    <Icon name={icon} />
  </button>
)

interface LinkProps extends Look {
  readonly href: string
}

export const LinkButton = ({ children, href, icon, kind = "plain" }: LinkProps) => (
  <a class={`button ${kind}`} href={href}>
    {icon !== undefined && <Icon name={icon} />}
    {children}
  </a>
)
