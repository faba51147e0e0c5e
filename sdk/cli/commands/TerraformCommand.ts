/** `vps terraform`: the lines with which a first configuration for OpenTofu or Terraform begins. */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { fileURLToPath } from "node:url"
import { command, print } from "../Command.ts"

/** The provider in this package; the path is the same from the sources and from the bundle. */
const PROVIDER = fileURLToPath(
  new URL(
    process.platform === "win32" ? "../../../terraform/windows" : "../../../terraform",
    import.meta.url
  )
)

const REGISTRIES = ["registry.opentofu.org", "registry.terraform.io"]

/** The engine's own configuration, which names the folder of the provider. */
export const cliConfiguration = `provider_installation {
  dev_overrides {
${REGISTRIES.map((registry) => `    "${registry}/pulumi-vps/vps" = ${JSON.stringify(PROVIDER)}`).join("\n")}
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

resource "vps_instance" "web" {
  name     = "web"
  plan     = "vps-s"
  hostname = "web.example.com"
}
`

const text =
  `# 1. The file ~/.tofurc, or ~/.terraformrc for Terraform: the provider of this package. Leave \`init\` out.

${cliConfiguration}
# 2. The file main.tf

${configuration}
# 3. The service and your key, then the plan, which shows the charge

# export VPS_BASE_URL=https://host.example/api/v1 VPS_API_KEY=<api_key>
# tofu plan
`

const init = command(
  "init",
  {},
  () =>
    Effect.asVoid(print({ provider: PROVIDER, cli_configuration: cliConfiguration, configuration }, {
      text: () => text,
      ids: ({ provider }) => [provider]
    }))
).pipe(
  Command.withShortDescription("Print the lines of a first configuration"),
  Command.withDescription(
    "Print the lines that a first configuration for OpenTofu or Terraform needs, with the path of the provider in this "
      + "package."
  ),
  Command.withExamples([
    { command: "vps terraform init" },
    { command: "vps terraform init -o json | jq -r .cli_configuration > ~/.tofurc" }
  ])
)

export const terraform = Command.make("terraform").pipe(
  Command.withSubcommands([init]),
  Command.withDescription("Begin with OpenTofu or Terraform")
)
