package main

import (
	"example.com/pulumi-vps/sdk/go/vps"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		web, err := vps.NewInstance(ctx, "web", &vps.InstanceArgs{
			Plan:     pulumi.String("vps-s"),
			Os:       pulumi.String("debian-13"),
			Hostname: pulumi.String("web.example.com"),
			// The preview fails if the charge is higher.
			MaxCharge: pulumi.Float64(10),
			// Destroy powers it off: the API cannot end a contract.
			DeletionPolicy: vps.InstanceDeletionPolicyStop,
		})
		if err != nil {
			return err
		}
		ctx.Export("address", web.Ipv4)
		ctx.Export("paidUntil", web.ExpiresAt)
		return nil
	})
}
