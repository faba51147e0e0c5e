/** `vps terraform`: installs the provider of `pulumi-vps` for OpenTofu and Terraform, with a first configuration. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { resolve } from "node:path"
import { command, print } from "../Command.ts"
import { CommandError, usageError } from "../errors/CommandError.ts"
import {
  ADDRESSES,
  findProvider,
  IMPLIED_MIRROR,
  type Platform,
  PLATFORMS,
  type Provider,
  writeMirror
} from "../terraform/ProviderMirror.ts"

const quotedAddresses = ADDRESSES.map((address) => JSON.stringify(address)).join(", ")

/** The engine's own configuration: this provider from the mirror, all others from where they come from today. */
const mirrorConfiguration = (mirror: string): string =>
  `provider_installation {
  filesystem_mirror {
    path    = ${JSON.stringify(mirror)}
    include = [${quotedAddresses}]
  }
  direct {
    exclude = [${quotedAddresses}]
  }
}
`

/** The engine starts the provider in the package, without \`init\`: for those who change the provider. */
export const developmentConfiguration = ({ override }: Pick<Provider, "override">): string =>
  `provider_installation {
  dev_overrides {
${ADDRESSES.map((address) => `    "${address}" = ${JSON.stringify(override)}`).join("\n")}
  }
  direct {}
}
`

const configuration = `terraform {
  required_providers {
    vps = { source = "pulumi-vps/vps" }
  }
}

provider "vps" {
  idempotency_scope = "shop-\${terraform.workspace}"
}

variable "ssh_public_key" {
  type = string
}

resource "vps_instance" "web" {
  name           = "web"
  plan           = "vps-s"
  os             = "debian-13"
  hostname       = "web.example.com"
  ssh_public_key = var.ssh_public_key
  max_charge     = 10
}

output "login" {
  value = "ssh root@\${vps_instance.web.ipv4}"
}
`

const textFor = (version: string, mirror: string, isImplied: boolean): string =>
  `# The provider of pulumi-vps ${version} is in ${mirror}

# 1. ${
    isImplied
      ? "Only if the file ~/.tofurc, or ~/.terraformrc for Terraform, has a block provider_installation: add this."
      : "The file ~/.tofurc, or ~/.terraformrc for Terraform: where `init` finds the provider."
  }

${mirrorConfiguration(mirror)}
# 2. The file main.tf

${configuration}
# 3. The service, your key, and your SSH key. \`apply\` shows the charge before it buys; the output logs in.

# export VPS_BASE_URL=https://host.example/api/v1 VPS_API_KEY=<api_key>
# export TF_VAR_ssh_public_key="$(cat ~/.ssh/id_ed25519.pub)"
# tofu init
# tofu apply
# tofu output -raw login
`

interface Input {
  readonly mirror: string
  readonly platforms: ReadonlyArray<Platform>
}

const install = Effect.fnUntraced(function*(input: Input) {
  const mirror = resolve(input.mirror)
  const provider = yield* Effect.try({
    try: () => {
      const found = findProvider()
      writeMirror(found, mirror, input.platforms)
      return found
    },
    catch: (error) => error instanceof CommandError ? error : usageError((error as Error).message)
  })
  const result = {
    mirror,
    cli_configuration: mirrorConfiguration(mirror),
    configuration,
    provider: provider.override,
    development_configuration: developmentConfiguration(provider)
  }
  yield* print(result, {
    text: () => textFor(provider.version, mirror, mirror === resolve(IMPLIED_MIRROR)),
    ids: () => [mirror]
  })
})

const init = command("init", {
  mirror: Flag.String("mirror").pipe(
    Flag.withMetavar("folder"),
    Flag.withDescription(`Folder to copy the provider to (default: ${IMPLIED_MIRROR})`),
    Flag.withDefault(IMPLIED_MIRROR)
  ),
  platforms: Flag.Literals("platform", PLATFORMS).pipe(
    Flag.withMetavar("os_arch"),
    Flag.withDescription(`Another platform to copy it for; repeatable: ${PLATFORMS.join(", ")}`),
    Flag.atLeast(1),
    Flag.withDefault([])
  )
}, install).pipe(
  Command.withShortDescription("Install the provider in this folder, and print a first configuration"),
  Command.withDescription(
    `Copy the provider of the installed pulumi-vps to ${IMPLIED_MIRROR}, where "tofu init" and "terraform init" look `
      + "for it, and print the lines of a first configuration. Run it again after an update of pulumi-vps."
  ),
  Command.withExamples([
    { command: "vps terraform init && tofu init" },
    { command: "vps terraform init --platform windows_amd64" },
    { command: "vps terraform init -o json | jq -r .development_configuration > ~/.tofurc" }
  ])
)

export const terraform = Command.make("terraform").pipe(
  Command.withSubcommands([init]),
  Command.withDescription("Begin with OpenTofu or Terraform")
)
