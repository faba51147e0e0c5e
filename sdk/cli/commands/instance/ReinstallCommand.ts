/** `vps instance reinstall`. */
import type { Reinstall } from "@pulumi-vps/contract/Instance"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { HostClient } from "../../HostClient.ts"
import { confirmDataLoss, yes } from "../../terminal/Terminal.ts"
import { runAction } from "../../shared/Action.ts"
import * as Arguments from "../../shared/Arguments.ts"
import { explainImage, instanceCommand } from "../../shared/Selection.ts"
import { readRootPassword, readSshKey, rootPassword } from "../../shared/Secrets.ts"

const osId = Flag.Int("os-id").pipe(
  Flag.withMetavar("id"),
  Flag.withDescription("The image's ID, which must match --os; see \"vps os list\""),
  Flag.optional
)

const reinstallFlags = {
  os: Arguments.os,
  osId,
  sshKey: Arguments.sshKey,
  rootPassword,
  ...Arguments.waits,
  yes
}

const systemOf = Effect.fnUntraced(
  function*({ os, osId, rootPassword, sshKey }: Command.Command.Config.Infer<typeof reinstallFlags>) {
    const password = yield* readRootPassword(rootPassword)
    const body: Reinstall = {
      os,
      ...(Option.isNone(osId) ? {} : { os_id: osId.value }),
      ...(Option.isNone(sshKey) ? {} : { ssh_pubkey: yield* readSshKey(sshKey.value) }),
      ...(password === undefined ? {} : { password })
    }
    return body
  }
)

const reinstallWith = (client: HostClient, id: number, body: Reinstall) => {
  const serviceId = Effect.map(client.instances.get(id), ({ data }) => data.order.service_id)
  return explainImage(client.instances.reinstall(id, body), client, body.os, serviceId)
}

export const reinstall = instanceCommand(
  "reinstall",
  reinstallFlags,
  Effect.fnUntraced(function*({ id, timeout, wait, yes, ...flags }) {
    const body = yield* systemOf({ ...flags, timeout, wait, yes })
    yield* confirmDataLoss(yes, `Install ${body.os} on instance ${id}? All data on its disk is lost.`)
    const request = (client: HostClient) => reinstallWith(client, id, body)
    yield* runAction({ id, action: "reinstall", request, wait, timeout })
  })
).pipe(
  Command.withShortDescription("Reinstall an instance; all data on its disk is lost"),
  Command.withDescription(
    "Install an image on an existing instance. All data on its disk is lost, including SSH keys: pass the key again "
      + "with --ssh-key, or a password with --root-password. \"vps instance reset-password\" sets one later."
  ),
  Command.withExamples([
    { command: "vps instance reinstall 7 --os debian-13 --ssh-key ~/.ssh/id_ed25519.pub" },
    { command: "vps instance reinstall 7 --os debian-13 --root-password -", description: "Prompts for the password" },
    { command: "vps instance reinstall 7 --os debian-13 --yes --wait", description: "In a script" }
  ])
)
