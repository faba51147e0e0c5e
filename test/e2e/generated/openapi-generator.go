// A client that openapi-generator has generated: buys, replays, reads, and meets each refusal.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"example.com/generated/vps"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func status(response *http.Response) int { return response.StatusCode }

func main() {
	url, key, poor, name := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	configuration := vps.NewConfiguration()
	configuration.Servers = vps.ServerConfigurations{{URL: url}}
	api := vps.NewAPIClient(configuration)
	as := func(key string) context.Context {
		return context.WithValue(context.Background(), vps.ContextAccessToken, key)
	}
	own := as(key)
	create := func(who context.Context) vps.ApiInstancesCreateRequest {
		return api.InstancesAPI.InstancesCreate(who).CreateInstance(*vps.NewCreateInstance(1))
	}
	whoami, _, err := api.AccountAPI.AccountWhoami(own).Execute()
	check(err)
	plans, _, err := api.ServicesAPI.ServicesList(own).Execute()
	check(err)
	slugs := []string{}
	for _, plan := range plans {
		slugs = append(slugs, plan.Slug)
	}
	charge, _, err := create(own).DryRun(true).Execute()
	check(err)
	bought, first, err := create(own).IdempotencyKey(name).Execute()
	check(err)
	again, second, err := create(own).IdempotencyKey(name).Execute()
	check(err)
	instance, _, err := api.InstancesAPI.InstancesGet(own, bought.Instance.Id).Execute()
	check(err)
	snapshots, _, err := api.SnapshotsAPI.SnapshotsList(own, 1).Execute()
	check(err)
	_, noKey, _ := api.AccountAPI.AccountWhoami(as("none")).Execute()
	_, noMoney, _ := create(as(poor)).Execute()
	_, noInstance, _ := api.InstancesAPI.InstancesGet(own, 999999).Execute()
	_, samePlan, _ := api.InstancesAPI.InstancesResize(own, 1).Resize(*vps.NewResize(2)).Execute()
	wrong := vps.NewCreateInstance(1)
	wrong.SetHostname("-")
	_, noName, _ := api.InstancesAPI.InstancesCreate(own).CreateInstance(*wrong).Execute()
	out, err := json.Marshal(map[string]any{
		"account":  whoami.AccountId,
		"plans":    slugs,
		"charge":   charge.DryRun.ChargeAmount,
		"bought":   []any{status(first), bought.Instance.Id},
		"replayed": []any{status(second), again.Instance.Id},
		"status":   instance.Status,
		"snapshot": snapshots[0].SizeBytes.Get(),
		"refused": []int{
			status(noKey), status(noMoney), status(noInstance), status(samePlan), status(noName),
		},
	})
	check(err)
	fmt.Println(string(out))
}
