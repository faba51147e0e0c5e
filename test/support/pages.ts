/** The pages for users, and what a reader does with each block of code on them. */
import { spawnSync } from "node:child_process"
import { assert } from "vitest"
import { hasLanguageHost } from "../engine/PulumiCli.ts"
import { hasCommand } from "../engine/terraform/Cli.ts"
import { exact } from "./consumer.ts"
import {
  type Edit,
  EMULATOR,
  type Entry,
  leavesRunning,
  type Needed,
  notRun,
  on,
  runs,
  saves,
  types,
  wasPrinted
} from "./pageSteps.ts"
import type { ServiceProcess } from "./serviceProcess.ts"

export interface Page {
  /** Texts of the page for something of the reader's own, and those of this reader. */
  readonly values?: (service: ServiceProcess) => Readonly<Record<string, string>>
  /** True if its reader has a URL and a key in the environment. */
  readonly loggedIn?: boolean
  /** True if its reader starts the service on the default port. */
  readonly serves?: boolean
  /** Of the reader's account, from before: the page names the ids that come next. */
  readonly before?: { readonly instances: number; readonly snapshots: number }
  /** By heading, in the order in which they are done: an entry for each block of code. */
  readonly sections: Readonly<Record<string, ReadonlyArray<Entry>>>
  /** The number of instances, at least, that the page buys with the reader's SSH key; others are fragments. */
  readonly withKey?: number
}

const NODE_HOST: Needed = { program: "pulumi-language-nodejs", there: hasLanguageHost("nodejs") }
const TOFU: Needed = { program: "tofu", there: hasCommand("tofu") }
const count = (...needed: ReadonlyArray<Needed>): number => needed.filter(({ there }) => there).length
const JQ: Needed = { program: "jq", there: spawnSync("jq", ["--version"]).status === 0 }

/** A line that `vps terraform init` prints for the variable of its main.tf. */
const KEY = "export TF_VAR_ssh_public_key=\"$(cat ~/.ssh/id_ed25519.pub)\""
/** The main.tf of `vps terraform init`, up to its resource. */
const MAIN_TF = /^terraform \{[^]*?(?=^resource)/m

const PULUMI_TOUR =
  /buying VPS S charges 4\.99 EUR now[^]*login: "ssh root@[\d.]+"[^]*3 created[^]*3 unchanged[^]*3 deleted/
/** The state of the tests is elsewhere, by a variable. */
const LOCAL_LOGIN: Edit = ["pulumi login --local", "true", "HOME does not move what it changes"]

const PULUMI_YAML = (name: string): string =>
  `name: ${name}\nruntime: { name: nodejs, options: { typescript: false } }\nmain: index.ts\n`
/** The same in the folder of a new project, which has the packages that the page installs, and this program. */
const inProject = (name: string, program: string, { step }: Entry): Entry =>
  on(NODE_HOST, {
    step: async (block, context) => {
      const { reader } = context
      const installed = reader.folder
      await reader.enterEmptyFolder()
      await reader.type(`cp -al ${installed}/node_modules ${installed}/package.json .`)
      reader.write("Pulumi.yaml", PULUMI_YAML(name))
      reader.write("index.ts", program)
      await reader.type(`pulumi stack init dev${program === "" ? "" : " && pulumi up"}`)
      await step!(block, context)
    }
  })
const pulumiProgram = (expected: RegExp): Entry =>
  runs(expected, { file: "index.ts", command: "pulumi up && pulumi up" })
const ONE = `import { Instance } from "pulumi-vps/provider"
new Instance("web", { serviceId: 1, hostname: "web.example.com" })
`
const FLEET = `import { Instance } from "pulumi-vps/provider"
new Instance("web-4", { serviceId: 1, deletionPolicy: "forget" })
`

const SDK_PRELUDE = `import { Vps } from "@pulumi-vps/sdk"
const vps = new Vps()
const [{ id }] = await vps.instances.list()
`
/** A block of docs/sdk.md, which continues with the client of the first one. */
const continues = (expected: RegExp, more = ""): Entry => runs(expected, { prelude: SDK_PRELUDE + more })

/** By path, in the order of the tests. */
export const PAGES: Readonly<Record<string, Page>> = {
  "README.md": {
    loggedIn: true,
    values: ({ url }) => ({ "https://host.example/api/v1": url }),
    sections: {
      Install: [
        types(/added \d+ packages?/),
        notRun(".ci/run types `npm ci` and `npm test` in a clone; quickstart.ci.test.ts runs the quickstart")
      ],
      "An infrastructure repository": [
        on(NODE_HOST, types(/added \d+ packages/)),
        on(NODE_HOST, saves()),
        on(NODE_HOST, saves()),
        on(NODE_HOST, types(PULUMI_TOUR, { edits: [LOCAL_LOGIN] })),
        on(TOFU, {
          step: async ({ code }, { reader }) => {
            await reader.enterEmptyFolder()
            await reader.type("npm init --yes && npm install pulumi-vps @pulumi-vps/sdk")
            const printed = await reader.type("npx vps terraform init")
            reader.write("main.tf", MAIN_TF.exec(printed)![0] + code)
            assert.match(await reader.type(`${KEY}\ntofu init && tofu apply -auto-approve`), /4\.99 EUR[^]*1 added/)
          }
        })
      ],
      "An automation script": [
        runs(/^(ssh root@[\d.]+\n)\1$/, {
          file: "buy.ts",
          first: "{ npm init --yes && npm pkg set type=module && npm install @pulumi-vps/sdk; } > /dev/null",
          command: "node buy.ts && node buy.ts"
        }),
        types(/web\.example\.com[^]*No samples yet/i, { input: ({ service }) => service.apiKey })
      ],
      Tests: [runs(/^$/, { first: "npm install --save-dev @pulumi-vps/testing > /dev/null" })]
    },
    withKey: 2 + count(NODE_HOST, TOFU)
  },

  "docs/getting-started.md": {
    sections: {
      "Getting started": [leavesRunning(EMULATOR), types(/^$/), types(/^$/)],
      "An infrastructure repository with Pulumi": [
        on(NODE_HOST, types(/added \d+ packages/)),
        on(NODE_HOST, saves()),
        on(NODE_HOST, saves()),
        on(NODE_HOST, types(PULUMI_TOUR, { edits: [LOCAL_LOGIN] }))
      ],
      "An automation script": [
        types(/added \d+ packages?/),
        saves(),
        types(/^instance \d+: ssh root@[\d.]+\n$/)
      ],
      "A terminal": [types(/vps-s [^]*Image +debian-13[^]*web\.example\.com +running/)],
      Tests: [types(/added \d+ packages?/), saves(), types(/^1 10\.02$/m)],
      "Operating the service": [
        leavesRunning(/accounts create/, [["--driver simulated", "--driver simulated --port 0", "the emulator runs"]])
      ]
    }
  },

  "docs/provider.md": {
    values: ({ apiKey, url }) => ({ "https://host.example/api/v1": url, "<api_key>": apiKey }),
    sections: {
      Install: [on(NODE_HOST, types(/added \d+ packages/, { first: "npm init --yes && npm pkg set type=module" }))],
      "The Pulumi provider": [
        inProject("shop", "", pulumiProgram(/5 created[^]*5 unchanged/)),
        on(NODE_HOST, wasPrinted)
      ],
      "Plans and ISOs by name": [inProject("names", "", pulumiProgram(/2 created[^]*2 unchanged/))],
      "Renaming a resource": [inProject("renaming", ONE, pulumiProgram(/^(?![^]*charges)[^]*unchanged/))],
      Fleets: [inProject("fleet", FLEET, types(/charges 4\.99 EUR now[^]*replaced/, { last: "pulumi up" }))],
      "After a crash": [on(NODE_HOST, types(/unchanged/))],
      "The plugin": [
        inProject("plugin", "", saves("index.ts")),
        on(NODE_HOST, {
          step: async ({ code }, { reader }) => {
            reader.write("Pulumi.yaml", PULUMI_YAML("plugin") + code)
            assert.match(
              await reader.type("pulumi up && pulumi up"),
              /charges 4\.99 EUR now[^]*2 created[^]*2 unchanged/
            )
          }
        })
      ],
      "Python, Go, and YAML": [
        notRun("pluginInstall.ci.test.ts types both, from docs/provider-plugin.md, in a project in Python")
      ],
      Policies: [notRun("a test holds it equal to examples/policies, which providerPolicies.long.test.ts runs")]
    },
    withKey: count(NODE_HOST)
  },

  "docs/terraform.md": {
    loggedIn: true,
    sections: {
      Install: [
        types(/main\.tf[^]*tofu apply/, { first: "npm init --yes" }),
        on(TOFU, {
          step: async ({ code }, { reader }) => {
            reader.write("main.tf", MAIN_TF.exec(reader.printed)![0])
            assert.match(await reader.type(`${KEY}\ntofu init && ${code}`), /windows_amd64/)
          }
        }),
        notRun("release.ci.test.ts installs the archives of a release in such a folder")
      ],
      "OpenTofu and Terraform": [
        on(TOFU, {
          step: async ({ code }, { reader }) => {
            reader.write("main.tf", MAIN_TF.exec(reader.printed)![0] + code)
            assert.match(await reader.type("tofu apply -auto-approve && tofu plan"), /1 added[^]*No changes/)
          }
        }),
        on(TOFU, wasPrinted)
      ]
    },
    withKey: count(TOFU)
  },

  "docs/cli.md": {
    before: { instances: 6, snapshots: 2 },
    values: ({ url }) => ({ "https://host.example/api/v1": url, "https://staging.example/api/v1": url }),
    sections: {
      Install: [types(/added \d+ packages?[^]*\d+\.\d+\.\d+[^]*USAGE/)],
      "Log in": [
        types(/Account +1/, { input: ({ service }) => service.apiKey }),
        types(/staging/, { input: ({ service }) => service.apiKey })
      ],
      "Other hosts": [on(JQ, types(/THE HOST SHOWS/))],
      Tour: [
        types(/./, {
          edits: [
            ["vps instance ssh 7 ", "# ", "nothing answers at the address of a simulated instance"],
            [
              "vps instance tasks 7 --follow",
              "timeout 2 vps instance tasks 7 --follow || [ $? = 124 ]",
              "it ends by Ctrl-C"
            ],
            ["vps snapshot restore 7 3", "vps snapshot restore 7 3 --yes", "a terminal prompts"],
            ["reinstall 7 --os debian-13", "reinstall 7 --os debian-13 --yes", "a terminal prompts"],
            ["vps terraform init", "npm install pulumi-vps > /dev/null && vps terraform init", "the folder has it"],
            ["vps pulumi orphans", "# ", "vpsPulumi.test.ts runs it, in a project with a stack"]
          ]
        })
      ],
      Scripts: [types(/./), on(JQ, types(/./)), on(JQ, types(/./))]
    }
  },

  "docs/sdk.md": {
    values: ({ apiKey, url }) => ({ "https://api.example.com/api/v1": url, "vps_live_...": apiKey }),
    sections: {
      Install: [types(/added \d+ packages?/, { first: "npm init --yes > /dev/null && npm pkg set type=module" })],
      "Buy an instance": [runs(/^instance 1: ssh root@[\d.]+\n$/)],
      "Make a purchase repeatable": [
        continues(/^Charges 4\.99 EUR\n\d+ bought now\n$/),
        continues(/^$/)
      ],
      "Wait for a change": [continues(/^(\w+ \d+\n)+off\n$/)],
      "Handle errors": [continues(/^$/)],
      "Retries, timeouts and cancellation": [continues(/^\d+\n$/)],
      "Proxies and certificates": [
        notRun("proxies.test.ts sends through proxies and trusts certificates, with each of the variables")
      ],
      "Bundlers and other runtimes": [continues(/^5\n$/)],
      "Work on many instances": [
        continues(/^The wallet has [\d.]+ EUR\nweb-1 [\d.]+\nweb-2 [\d.]+\ntrue\n$/)
      ],
      "Read the activity feed": [continues(/ provision succeeded\n$/)],
      "Work with any host": [continues(/^off\n$/)],
      "Use Effect": [runs(/provision[^]*\n[\d.]+\n$/, { first: "npm install effect@~4.1.0 > /dev/null" })]
    }
  },

  "docs/testing.md": {
    sections: {
      Testing: [
        runs(/^$/, {
          first:
            "{ npm init --yes && npm pkg set type=module && npm install --save-dev @pulumi-vps/testing; } > /dev/null"
        })
      ],
      Faults: [runs(/^$/)],
      Seed: [runs(/^$/, { prelude: `import { startEmulator } from "@pulumi-vps/testing"\n` })],
      "Test runners": [
        runs(/1 passed/, {
          file: "effect.test.ts",
          first: `npm install --save-dev ${["effect", "@effect/vitest", "vitest"].map(exact).join(" ")} > /dev/null`,
          command: "npx vitest run effect.test.ts"
        })
      ]
    }
  },

  "docs/running.md": {
    serves: true,
    values: () => ({ "/etc/vps/": "", "/var/lib/vps/": "" }),
    sections: {
      "Running the service": [
        notRun("packageDeb.ci.test.ts and packageImage.ci.test.ts build both from the clone")
      ],
      npm: [leavesRunning(/accounts create/), types(/^id +1$/m)],
      "Debian package": [
        notRun("packageDeb.ci.test.ts types it in a container that systemd boots"),
        notRun("for computers with libvirt; packageDeb.ci.test.ts gives the unit another setting in such a file")
      ],
      "Container image": [
        notRun("packageImage.ci.test.ts runs the image with runc: Docker and Podman need a daemon or user ids")
      ],
      "Docker Compose": [
        notRun("compose.ci.test.ts runs three replicas, PostgreSQL and nginx with its files, without Docker")
      ],
      "systemd unit": [
        notRun("it changes /usr; packageDeb.ci.test.ts boots the unit, and packaging.test.ts has systemd rate it")
      ],
      "First steps": [types(/vps_live_[^]*100\.00[^]*\/panel\/invitation#[^]*\/panel\/invitation#/)],
      "Config file": [
        saves("service.yaml"),
        types(/^$/, { edits: [["sudo install -m 640 -g vps", "install -m 640", "this computer has no such user"]] }),
        {
          step: async ({ code }, context) => {
            context.reader.write("wrong.yaml", "driver: simulated\n\nport: \"8787\"\n\n\n\nhots: 127.0.0.1\n")
            const checked = await context.reader.type("vps-service config --check --config wrong.yaml || true")
            assert.strictEqual(checked, code.replaceAll("/etc/vps/service.yaml", "wrong.yaml"))
          }
        },
        types(/settings are valid[^]*service\.yaml/)
      ]
    }
  },

  "docs/api.md": { sections: { "The HTTP API": [leavesRunning(EMULATOR)] } },

  "docs/panel.md": {
    serves: true,
    sections: { "Try it": [leavesRunning(/"sign_in":\{"customer":/)] }
  },

  "examples/README.md": {
    loggedIn: true,
    sections: {
      Examples: [
        types(/Its hostname is web-1\.example\.com/, {
          edits: [["fleet", "automation-script", "it runs"]],
          last: "npm start"
        })
      ]
    }
  }
}
/** The other pages with code, by the beginning of their paths: what runs it, or why nothing does. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  "ARCHITECTURE.md": "drawings, and the signatures of modules",
  "CONTRIBUTING.md": "commands in a clone: .ci/run types those for tests and checks, people the others",
  "docs/_index.md": "the examples, to which the tests of the reference hold it; they are run below",
  "docs/admin.md": "admin.test.ts imports its catalogue",
  "docs/benchmarks.md": "benchmarks, which take minutes and are read by people",
  "docs/emulator.md":
    "emulatorGuide.test.ts and the tests of the emulator call all controls; its Java needs Testcontainers",
  "docs/installation-configuration.md": "for Pulumi's registry; pluginInstall.ci.test.ts installs such an archive",
  "docs/operating.md":
    "settings for nginx, PostgreSQL and mail of the operator; compose.ci.test.ts runs the package's own",
  "docs/provider-plugin.md": "pluginInstall.ci.test.ts",
  "docs/provider/": "providerReference.ci.test.ts",
  "docs/real-instances.md": "the tests in test/libvirt, on hosts that libvirt and QEMU run",
  "docs/runtimes.md": "runtimes.ci.test.ts",
  "docs/sdk/": "sdkExamples.ci.test.ts",
  "docs/terraform/": "terraformExamples.ci.test.ts"
}
