"""An instance with a PTR record and a snapshot, in Python.

Shows: an instance, resources that depend on it, a function, and the charge as an output.

    npm install pulumi-vps
    # generates the Python SDK, adds it to requirements.txt, and installs both in venv:
    pulumi package add ./node_modules/pulumi-vps/plugin
    pulumi stack init python
    # makes root's key if you have none: ssh-keygen -t ed25519
    pulumi config set sshKey "$(cat ~/.ssh/id_ed25519.pub)"
    VPS_BASE_URL=https://host/api/v1 VPS_API_KEY=vps_live_... pulumi up
    pulumi stack output login    # the command that logs in
"""
import pulumi
import pulumi_vps as vps

plans = vps.get_plans().plans
smallest = min(plans, key=lambda plan: plan.price)

web = vps.Instance(
    "web",
    service_id=smallest.id,
    hostname="web.example.com",
    ssh_public_key=pulumi.Config().require("sshKey"),
    max_charge=10,
    deletion_policy="stop",
    opts=pulumi.ResourceOptions(custom_timeouts=pulumi.CustomTimeouts(create="15m")),
)
vps.ReverseDns("web", instance_id=web.id, ip=web.ipv4, ptr="web.example.com")
vps.Snapshot("first", instance_id=web.id, name="as-installed")

pulumi.export("login", pulumi.Output.concat("ssh root@", web.ipv4))
pulumi.export("charge", web.charge_amount)
