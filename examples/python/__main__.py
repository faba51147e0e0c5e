"""An instance with a PTR record and a snapshot, in Python.

Shows: an instance, resources that depend on it, a function, and the charge as an output.

    npm install pulumi-vps
    # generates the Python SDK, adds it to requirements.txt, and installs both in venv:
    pulumi package add ./node_modules/pulumi-vps/plugin
    pulumi stack init python
    VPS_BASE_URL=https://host/api/v1 VPS_API_KEY=vps_live_... pulumi up
"""
import pulumi
import pulumi_vps as vps

plans = vps.get_plans().plans
smallest = min(plans, key=lambda plan: plan.price)

web = vps.Instance(
    "web",
    service_id=smallest.id,
    hostname="web.example.com",
    max_charge=10,
    deletion_policy="stop",
    opts=pulumi.ResourceOptions(custom_timeouts=pulumi.CustomTimeouts(create="15m")),
)
vps.ReverseDns("web", instance_id=web.id, ip=web.ipv4, ptr="web.example.com")
vps.Snapshot("first", instance_id=web.id, name="as-installed")

pulumi.export("address", web.ipv4)
pulumi.export("charge", web.charge_amount)
