/** Prints help to standard output, and wrong usage to standard error: only the errors, as the help would hide them. */
import { defaultPresenter, type Presenter } from "effect/cli/CliOutput"
import { describeUsageErrors, usageHint } from "@pulumi-vps/contract/CommandLine"
import { printError } from "./Output.ts"

export const presenterOf = (words: ReadonlyArray<string>): Presenter => ({
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? printError(
        [...describeUsageErrors(event.errors, event.helpDoc, words), usageHint(event.commandPath)].join("\n")
      )
      : defaultPresenter.present(event)
})
