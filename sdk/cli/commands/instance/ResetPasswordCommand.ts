/** `vps instance reset-password`. */
import type { ResetPasswordResult } from "@pulumi-vps/contract/Instance"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import type { View } from "../../output/Output.ts"
import { fields } from "../../output/List.ts"
import { usageError } from "../../errors/CommandError.ts"
import { callAndPrint, vps } from "../../Command.ts"
import { instanceCommand } from "../../shared/Selection.ts"

const passwordView: View<ResetPasswordResult> = {
  text: ({ password }, capabilities) => fields([["Password", password]], capabilities),
  ids: () => []
}

const resetAndShow = Effect.fnUntraced(function*(id: number) {
  const { output } = yield* vps
  // The password is shown once: printing anything else would lose it.
  if (output === "id") return yield* usageError("-o id would not show the password.", "Use -o json in scripts.")
  yield* callAndPrint((client) => client.instances.resetPassword(id), passwordView)
})

export const resetPassword = instanceCommand("reset-password", {}, ({ id }) => resetAndShow(id)).pipe(
  Command.withShortDescription("Set a new root password and show it once"),
  Command.withDescription("Set a new root password and show it. It is not stored, so it is shown only once."),
  Command.withExamples([
    { command: "vps instance reset-password 7" },
    { command: "vps instance reset-password 7 -o json | jq -r .password", description: "In a script" }
  ])
)
