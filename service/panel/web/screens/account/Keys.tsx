/** The keys of an account: for its API, and for logging in to its instances. */
import { Page } from "../../components/Page.tsx"
import { ApiKeys } from "./ApiKeys.tsx"
import { SshKeys } from "./SshKeys.tsx"

export const Keys = () => (
  <Page title="Keys">
    <ApiKeys />
    <SshKeys />
  </Page>
)
