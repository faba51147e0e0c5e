import pulumi
import pulumi_vps as vps

web = vps.Instance(
    "web",
    plan="vps-s",
    os="debian-13",
    hostname="web.example.com",
    max_charge=10,  # the preview fails if the charge is higher
    deletion_policy="stop",  # destroy powers it off: the API cannot end a contract
)

pulumi.export("address", web.ipv4)
pulumi.export("paidUntil", web.expires_at)
