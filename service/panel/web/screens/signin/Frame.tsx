/** The frame of pages without a session: the host above a card, and its links below. */
import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"
import { titled } from "../../api/branding.ts"
import { Icon, type IconName } from "../../components/Icon.tsx"
import { Brand, hasBrand, HostLinks } from "../../components/Brand.tsx"

interface FrameProps {
  readonly title: string
  /** Shown if the host has neither a name nor a logo. */
  readonly icon: IconName
  readonly busy?: boolean
  readonly children: ComponentChildren
}

export const Frame = ({ busy = false, children, icon, title }: FrameProps) => {
  useEffect(() => {
    document.title = titled(title)
  }, [title])
  return (
    <div class="sign-in">
      <main>
        {hasBrand && (
          <p class="brand">
            <Brand />
          </p>
        )}
        <div class="card" aria-busy={busy}>
          {!hasBrand && <Icon name={icon} />}
          <h1>{title}</h1>
          {children}
        </div>
      </main>
      <footer>
        <HostLinks />
      </footer>
    </div>
  )
}
