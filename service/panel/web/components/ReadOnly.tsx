/** Members who may only read an account see all of it: what would change it is disabled, and says why. */
import { type ComponentChildren, createContext } from "preact"
import { useContext } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { useAccount } from "../api/session.ts"
import { Icon } from "./Icon.tsx"

const REASON = "You can see this account, but not change it. Ask a member with full access."

const Reason = createContext<string | undefined>(undefined)

/** The reason why the shown part of the page changes nothing; undefined if it can. */
export const useReadOnly = (): string | undefined => useContext(Reason)

/** True if the person may change the current account. */
export const useCanChange = (): boolean => useAccount()?.permission !== "read"

/** The pages that are not about the current account. */
const OTHERS = /^\/panel\/(?:profile|operator|emulator)(?:\/|$)/

/** Around all screens: forms and buttons in it that change the account are disabled. */
export const ReadOnlyAccount = ({ children }: { readonly children: ComponentChildren }) => {
  const { path } = useLocation()
  const readOnly = !useCanChange() && !OTHERS.test(path)
  return (
    <Reason.Provider value={readOnly ? REASON : undefined}>
      {readOnly && (
        <p class="read-only">
          <Icon name="audit" />Read only. {REASON}
        </p>
      )}
      {children}
    </Reason.Provider>
  )
}

/** For what belongs to the person, and not to the account. */
export const OwnPart = ({ children }: { readonly children: ComponentChildren }) => (
  <Reason.Provider value={undefined}>{children}</Reason.Provider>
)
