// Loads a compose file for some profiles with the loader of the Compose Specification, as `docker compose` does, and
// prints what it means as JSON.
//
// Usage: compose-loader FILE PROFILE...
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func load(file string, profiles []string) ([]byte, error) {
	options, err := cli.NewProjectOptions([]string{file}, cli.WithOsEnv, cli.WithDotEnv, cli.WithProfiles(profiles))
	if err != nil {
		return nil, err
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return nil, err
	}
	return json.Marshal(project)
}

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: compose-loader FILE PROFILE...")
		os.Exit(2)
	}
	text, err := load(os.Args[1], os.Args[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(string(text))
}
