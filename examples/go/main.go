// An instance with a PTR record, in Go.
//
// Shows: an instance, a resource that depends on it, and the charge as an output.
//
//	npm install pulumi-vps
//	# generates the Go SDK and adds it to go.mod:
//	pulumi package add ./node_modules/pulumi-vps/plugin
//	pulumi stack init go
//	# makes root's key if you have none: ssh-keygen -t ed25519
//	pulumi config set sshKey "$(cat ~/.ssh/id_ed25519.pub)"
//	VPS_BASE_URL=https://host/api/v1 VPS_API_KEY=vps_live_... pulumi up
//	pulumi stack output login    # the command that logs in
package main

import (
	"example.com/pulumi-vps/sdk/go/vps"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		web, err := vps.NewInstance(ctx, "web", &vps.InstanceArgs{
			ServiceId:      pulumi.Int(1),
			Hostname:       pulumi.String("web.example.com"),
			SshPublicKey:   pulumi.String(config.Require(ctx, "sshKey")),
			MaxCharge:      pulumi.Float64(10),
			DeletionPolicy: vps.InstanceDeletionPolicyStop,
		})
		if err != nil {
			return err
		}
		_, err = vps.NewReverseDns(ctx, "web", &vps.ReverseDnsArgs{
			InstanceId: web.ID(),
			Ip:         web.Ipv4,
			Ptr:        pulumi.String("web.example.com"),
		})
		if err != nil {
			return err
		}
		ctx.Export("login", pulumi.Sprintf("ssh root@%s", web.Ipv4))
		ctx.Export("charge", web.ChargeAmount)
		return nil
	})
}
