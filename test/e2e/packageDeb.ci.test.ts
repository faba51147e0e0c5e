/**
 * `npm run package:deb`: installed, upgraded and removed in a copy of this computer's system, which systemd boots in a
 * container. Needs root and systemd-nspawn. The copy is an overlay in memory, so this computer does not change.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { VERSION } from "#contract/Version"
import { ROOT } from "../support/consumer.ts"
import { FAILURE, FIRST_COMMANDS, type Installed, installedFrom, testInstalled } from "../support/installed.ts"
import { sectionOf } from "../support/guide.ts"
import { mailServer } from "../support/mailServer.ts"
import { freePort } from "../support/port.ts"

const MONITORING = join(ROOT, "service/packaging/monitoring")
const UNIT = join(ROOT, "service/packaging/systemd/vps-service.service")
const folder = mkdtempSync(join(tmpdir(), "vps-deb-test-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const isInstalled = (command: string) => spawnSync(command, ["--version"]).status === 0

const run = (command: string, ...args: ReadonlyArray<string>): string => {
  const { status, stderr, stdout } = spawnSync(command, args, { cwd: ROOT, encoding: "utf8" })
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${stderr}${stdout}`)
  return stdout
}

/** The package is built in half a minute, and the system boots and runs the script in another half. */
const BOOT_MILLIS = 300_000

/** The commands of the guide, in the folder of the package: they install it and make account 1. */
const [INSTALLATION] = sectionOf("docs/running.md", "Debian package").commands

/** The commands for that account, and what each printed in a file of its own. */
const FIRST_ACCOUNT = FIRST_COMMANDS.filter(([name]) => name !== "account").map(([name, ...args]) =>
  `vps-service admin ${args.join(" ")} -o json < /vps-test/catalogue.yaml > /vps-test/${name}.json`
).join("\n")

/**
 * The operator's commands, as docs/running.md has them. Each line of the log is a fact that the test expects. Once the
 * first account exists, the script waits for the tests that visit the service.
 */
const script = (port: number, smtpUrl: string): string =>
  `#!/bin/sh
set -eu
ready() {
  /usr/lib/vps-service/bin/node -e '
    const again = () => setTimeout(look, 100)
    const look = () => fetch("http://127.0.0.1:${port}/readyz").then(({ ok }) => process.exit(ok ? 0 : 1), again)
    look()'
}
accounts() { vps-service admin accounts list -o json | grep -c you@example.com; }
main_pid() { systemctl show --property MainPID --value vps-service; }
sudo() { "$@"; }
# Chooses the driver, and then ends a service that replaces itself, because Node.js was started without its flags.
editor() {
  echo "state: $(stat -c '%U %a' /var/lib/vps), unit: $(systemctl is-active vps-service || true)"
  sed -i 's/^# driver: libvirt/driver: simulated/; s/^port: .*/port: ${port}/' "$1"
  echo '${smtpUrl}' | install -m 640 -g vps /dev/stdin /etc/vps/smtp-url
  sed -i 's/^# smtp-url: /smtp-url: /; s/^# mail-from: /mail-from: /' "$1"
  vps-service config --check --config "$1"
  once='--import=data:text/javascript,process.execve=()=>process.exit(9)'
  mkdir /etc/systemd/system/vps-service.service.d
  printf '[Service]\nEnvironment="NODE_OPTIONS=%s"\n' "$once" > /etc/systemd/system/vps-service.service.d/once.conf
}
cd /vps-test/guide
${INSTALLATION}
ready
old=$(main_pid)
echo "user: $(ps -o user= -p "$old")"
vps-service admin catalogue example > /vps-test/catalogue.yaml
${FIRST_ACCOUNT}
touch /vps-test/opened
while [ ! -e /vps-test/visited ]; do sleep 0.2; done
dpkg -i /vps-test/second.deb >> /vps-test/dpkg.log 2>&1
ready
echo "restarted: $([ "$old" != "$(main_pid)" ] && echo yes)"
echo "upgraded: $(dpkg-query -W -f '\${Version}' vps-service)"
echo "kept: $(grep -c '^driver: simulated' /etc/vps/service.yaml) $(accounts)"
dpkg -r vps-service >> /vps-test/dpkg.log 2>&1
echo "removed: $(systemctl is-active vps-service || true), $(ls /etc/vps /var/lib/vps | tr '\\n' ' ')"
dpkg -i /vps-test/second.deb >> /vps-test/dpkg.log 2>&1
systemctl start vps-service
ready
echo "again: $(accounts)"
dpkg -P vps-service >> /vps-test/dpkg.log 2>&1
echo "purged: $(ls -d /etc/vps /var/lib/vps /usr/lib/vps-service /usr/bin/vps-service 2> /dev/null | wc -l)"
`

/** Boots only what the script needs. The container ends with the script. */
const SERVICE = `[Unit]
Wants=basic.target
After=basic.target
[Service]
Type=oneshot
ExecStart=/vps-test/script
StandardOutput=file:/vps-test/log
StandardError=file:/vps-test/errors
ExecStopPost=-/bin/sh -c 'journalctl --unit vps-service > /vps-test/journal'
ExecStopPost=systemctl poweroff --no-block
`

const BOOT = `set -eu
mount -t tmpfs tmpfs "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
exec systemd-nspawn --quiet --directory "$1/root" --bind "$2:/vps-test" --register=no --keep-unit --console=pipe \
  --boot -- --unit=vps-test.service < /dev/null > "$2/console" 2>&1
`

describe.skipIf(process.getuid?.() !== 0 || !isInstalled("systemd-nspawn") || !isInstalled("dpkg-deb"))(
  "the Debian package",
  () => {
    const scope = Scope.makeUnsafe()
    const system = mkdtempSync(join(tmpdir(), "vps-system-"))
    const read = (name: string) => existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : ""
    /** All outputs, for the error of a failed run. */
    const evidence = () => ["log", "errors", "dpkg.log", "journal", "console"].map(read).join("\n---\n")
    let container: ChildProcess
    let file: string
    let installed: Installed
    beforeAll(async () => {
      file = run(process.execPath, ".config/packageDeb.ts", "--out", folder).trim()
      mkdirSync(join(folder, "guide"))
      copyFileSync(file, join(folder, "guide", basename(file)))
      run("dpkg-deb", "-R", file, join(folder, "tree"))
      const control = join(folder, "tree/DEBIAN/control")
      writeFileSync(control, readFileSync(control, "utf8").replace(/^Version: .*$/m, "Version: 99.0.0"))
      run("dpkg-deb", "-Znone", "--build", join(folder, "tree"), join(folder, "second.deb"))
      const port = await freePort()
      const { url } = await Effect.runPromise(Effect.provideService(mailServer(), Scope.Scope, scope))
      writeFileSync(join(folder, "script"), script(port, url))
      chmodSync(join(folder, "script"), 0o755)
      writeFileSync(join(folder, "vps-test.service"), SERVICE)
      const boot = BOOT.replace("exec ", "cp \"$2/vps-test.service\" \"$1/root/etc/systemd/system/\"\nexec ")
      container = spawn("unshare", ["--mount", "sh", "-c", boot, "boot", system, folder])
      while (!existsSync(join(folder, "opened"))) {
        if (container.exitCode !== null) throw new Error(evidence())
        await setTimeout(100)
      }
      installed = installedFrom(`http://localhost:${port}`, (name) => read(`${name}.json`))
    }, BOOT_MILLIS)
    afterAll(async () => {
      // The system's orderly end, unless it has ended.
      if (container.exitCode === null && container.kill()) await once(container, "exit")
      rmSync(system, { recursive: true })
      await Effect.runPromise(Scope.close(scope, Exit.void))
    })

    testInstalled(() => installed)

    describe("later", () => {
      let log = ""
      const line = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(log)?.[1]?.trim()
      beforeAll(async () => {
        const ended = once(container, "exit")
        writeFileSync(join(folder, "visited"), "")
        await ended
        log = read("log")
        if (!log.includes("purged:")) throw new Error(evidence())
      }, BOOT_MILLIS)

      it("installs a user, a state directory of its own, and a service that waits for its driver", () => {
        assert.strictEqual(line("state"), "vps 750, unit: inactive")
        assert.include(log, "The settings are valid;")
      })
      it("starts the service as its user, and its journal has no failure", () => {
        assert.strictEqual(line("user"), "vps")
        assert.include(read("journal"), "Starting")
        assert.notMatch(read("journal"), FAILURE)
      })
      it("keeps data and config file in an upgrade, which restarts the service", () => {
        assert.strictEqual(line("restarted"), "yes")
        assert.strictEqual(line("upgraded"), "99.0.0")
        assert.strictEqual(line("kept"), "1 1")
        assert.strictEqual(readFileSync(join(folder, "tree/DEBIAN/conffiles"), "utf8"), "/etc/vps/service.yaml\n")
      })
      it("stops the service when it is removed, and keeps data and config file", () => {
        assert.match(line("removed")!, /^inactive, \/etc\/vps: service\.yaml.*\/var\/lib\/vps: .*vps-service\.db/)
        assert.strictEqual(line("again"), "1")
      })
      it("leaves nothing after a purge", () => assert.strictEqual(line("purged"), "0"))
    })

    it("contains the files for monitoring that its guide names", () => {
      const guide = readFileSync(join(folder, "tree/usr/share/doc/vps-service/operating.md"), "utf8")
      const named = [...guide.matchAll(/\]\((\/usr\/share\/vps-service\/monitoring\/[^)]+)\)/g)].map(([, path]) =>
        path!
      )
      assert.deepStrictEqual(named.map((path) => basename(path)).toSorted(), readdirSync(MONITORING).toSorted())
      for (const path of named) {
        assert.deepStrictEqual(readFileSync(join(folder, "tree", path)), readFileSync(join(MONITORING, basename(path))))
      }
    })
    it("contains every file and guide that its guides link to", () => {
      const documents = join(folder, "tree/usr/share/doc/vps-service")
      const guides = readdirSync(documents).filter((name) => name.endsWith(".md"))
      assert.includeMembers(guides, ["running.md", "real-instances.md", "panel.md"])
      for (const guide of guides) {
        const links = readFileSync(join(documents, guide), "utf8").matchAll(/\]\(([^)#]+)/g)
        for (const [, target = ""] of links) {
          if (target.includes("://")) continue
          const path = target.startsWith("/") ? join(folder, "tree", target) : join(documents, target)
          assert.isTrue(existsSync(path), `${guide}: ${target}`)
        }
      }
    })
    it("is the version of the package", () => {
      assert.strictEqual(run("dpkg-deb", "-f", file, "Version").trim(), VERSION)
    })
  }
)

describe.skipIf(!isInstalled("systemd-analyze"))("the systemd unit", () => {
  it("has an exposure of at most 1.5", () => {
    const { status, stdout } = spawnSync(
      "systemd-analyze",
      ["security", "--offline=true", "--threshold=15", "--no-pager", UNIT],
      { encoding: "utf8" }
    )
    assert.match(stdout, /Overall exposure level for vps-service\.service: \d/)
    assert.strictEqual(status, 0)
  })
})
