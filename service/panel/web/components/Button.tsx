/** Buttons, and links that look like them. */
import type { ButtonHTMLAttributes, ComponentChildren } from "preact"
import { useId } from "preact/hooks"
import { notify } from "../api/toasts.ts"
import { Icon, type IconName } from "./Icon.tsx"

type Kind = "primary" | "plain" | "danger" | "quiet"

interface Look {
  readonly kind?: Kind
  readonly icon?: IconName
  readonly children?: ComponentChildren
}

export interface ButtonProps
  extends Look, Omit<ButtonHTMLAttributes<HTMLButtonElement>, "icon" | "children" | "disabled" | "onClick">
{
  readonly onClick?: ((event: Event) => void) | undefined
  /** True while its action runs: the button keeps its size and place, and cannot be pressed again. */
  readonly busy?: boolean
  /**
   * The reason for which it does nothing now. It keeps its place for the keyboard, screen readers read the reason with
   * its name, and a press by touch or by key shows it.
   */
  readonly off?: string | undefined
}

export const Button = ({ busy = false, children, icon, kind = "plain", off, ...rest }: ButtonProps) => {
  const id = useId()
  const explain = (event: Event) => {
    event.preventDefault()
    if (off !== undefined) notify("off", off)
  }
  const reason = off === undefined ? {} : {
    title: off,
    "aria-disabled": true,
    "aria-describedby": id,
    // A form says the reason of its own button.
    ...(rest.type === "submit" ? {} : { onClick: explain })
  } as const
  return (
    <button type="button" {...rest} {...reason} class={`button ${kind}`} aria-busy={busy} disabled={busy}>
      {icon !== undefined && <Icon name={icon} />}
      {children}
      {off !== undefined && <span id={id} hidden>{off}</span>}
    </button>
  )
}

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
