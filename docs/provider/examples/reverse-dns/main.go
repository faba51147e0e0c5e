package main

import (
	"example.com/pulumi-vps/sdk/go/vps"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		web, err := vps.NewInstance(ctx, "web", &vps.InstanceArgs{
			Plan:      pulumi.String("vps-s"),
			Hostname:  pulumi.String("web.example.com"),
			MaxCharge: pulumi.Float64(10),
		})
		if err != nil {
			return err
		}
		record, err := vps.NewReverseDns(ctx, "web", &vps.ReverseDnsArgs{
			InstanceId: web.ID(),
			Ip:         web.Ipv4,
			Ptr:        pulumi.String("web.example.com"),
		}, pulumi.DeletedWith(web))
		if err != nil {
			return err
		}
		ctx.Export("ptr", record.Ptr)
		return nil
	})
}
