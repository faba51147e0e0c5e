import pulumi
import pulumi_vps as vps

web = vps.Instance("web", plan="vps-s", hostname="web.example.com", max_charge=10)
record = vps.ReverseDns(
    "web",
    instance_id=web.id,
    ip=web.ipv4,
    ptr="web.example.com",
    opts=pulumi.ResourceOptions(deleted_with=web),
)

pulumi.export("ptr", record.ptr)
