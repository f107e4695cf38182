package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/part"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

func parts(ctx context.Context, e *cli.Environment, args []string) error {
	f := cli.NewFlags(e, "parts", `sgplvm parts -engine ENGINE -count N [flags] -- COMMAND ...

Prints what makes another program run a command of this one in N parts and join them: a script
for sh, or a manifest for kubectl apply. The command is impute, predict, fill -model, latents, sample,
render or shard, without -part; of shard it is a round: reduce makes the model OUT of its parts. A few of its examples are done first, which finds what is wrong with it, and
what a part costs stands in the script. Parts that are there already are not done again by a script.
sbatch takes further options from the environment, such as SBATCH_PARTITION.`)
	engine := f.Choice("engine", "shell", "the `program` that runs the parts: slurm, parallel (GNU parallel), kubernetes, or shell, one part after the other", "slurm", "parallel", "kubernetes", "shell")
	count := f.Whole("count", 2, 1, part.Most, "the `number` of parts")
	image := f.String("image", "sgplvm", "the container `image` with sgplvm and sh, for Kubernetes")
	claim := f.String("claim", "sgplvm", "the persistent volume `claim` with all files, for Kubernetes")
	f.Everyday("engine", "count")
	f.Examples(
		"sgplvm parts -engine slurm -count 100 -- impute -model faces.model -data damaged.npy -out filled.npy",
		"sgplvm parts -engine shell -count 3 -- render -model faces.model -grid 40x56 -out frames",
		"sgplvm parts -engine slurm -count 8 -- shard -model faces.model -data @faces.list -out sums",
	)
	n := slices.Index(args, "--")
	if n < 0 {
		n = len(args)
	}
	if err := f.Read(args[:n]); err != nil {
		return err
	}
	command := args[min(n+1, len(args)):]
	if len(command) == 0 {
		return f.Usagef("no command behind --")
	}
	m, out, err := measure(ctx, e, command)
	if err != nil {
		return err
	}
	each := int64((m.All + *count - 1) / *count)
	result, memory := m.Bytes*each, m.Memory+2*m.Bytes*max(0, each-int64(m.To)) // values and results of all of a part's examples
	join := "sgplvm join " + partFiles(out, *count)
	if m.Model != "" { // sums, of any number of examples
		result, memory = m.Size(*count), m.Memory
		join = fmt.Sprintf("sgplvm reduce %s -model %s -out %s", partFiles(out, *count), dataset.ShellWord(m.Model), dataset.ShellWord(out))
	}
	cost := fmt.Sprintf("about %d examples, %.3g MB of result, %.3g MB of memory and %s, as measured here with %d examples",
		each, 1e-6*float64(result), 1e-6*float64(memory), (m.Before + time.Duration(each)*m.Each).Round(10*time.Millisecond), m.To)
	if *engine == "kubernetes" {
		return e.PrintJSON(manifest(command, out, join, cost, *image, *claim, *count, memory))
	}
	_, err = io.WriteString(e.Stdout, script(*engine, command, out, join, cost, *count))
	return err
}

// measure does a few examples of a command, and returns the name of its results.
func measure(ctx context.Context, e *cli.Environment, command []string) (d *part.Done, out string, err error) {
	stdout := e.Stdout
	defer func() { e.Stdout, e.Work = stdout, nil }()
	e.Stdout, e.Work = io.Discard, part.Measure()
	for _, c := range e.Commands() {
		if c.Name == command[0] {
			err = c.Run(ctx, e, command[1:])
			if errors.As(err, &d) {
				return d, d.Path, nil
			}
		}
	}
	return nil, "", cmp.Or(err, cli.Usagef("parts: %s, expected a command that has parts", command[0]))
}

// words quotes the words of a command for a shell.
func words(command ...string) string {
	quoted := []string{"sgplvm"}
	for _, w := range command {
		quoted = append(quoted, dataset.ShellWord(w))
	}
	return strings.Join(quoted, " ")
}

// partFiles is a pattern of a shell for the files of all parts.
func partFiles(out string, count int) string {
	name := part.Name(part.Part{Index: 1, Count: count}, out)
	at := strings.LastIndex(name, "1of")
	return dataset.ShellWord(name[:at]) + "*" + name[at+1:]
}

// script is what runs a command in parts.
func script(engine string, command []string, out, join, cost string, count int) string {
	pattern := partFiles(out, count)
	one := func(i, flag string) string { // unless it is done
		return fmt.Sprintf("[ -e %s ] || %s -part %s", strings.Replace(pattern, "*", i, 1), words(command...), flag)
	}
	of := fmt.Sprintf("/%d", count)
	s := fmt.Sprintf("#!/bin/sh\n# %d parts, each %s\nset -e\n", count, cost)
	switch engine {
	case "slurm":
		task := strings.ReplaceAll(one("${SLURM_ARRAY_TASK_ID}", "auto"), "'", `'\''`)
		s += fmt.Sprintf("job=$(sbatch --parsable --requeue --job-name=sgplvm --array=1-%d --wrap='%s')\nsbatch --dependency=afterok:${job%%%%;*} --job-name=sgplvm-join --wrap='%s'\n",
			count, task, strings.ReplaceAll(join, "'", `'\''`))
	case "parallel":
		s += fmt.Sprintf("seq %d | parallel --halt soon,fail=1 '%s'\n%s\n", count, strings.ReplaceAll(one("{}", "{}"+of), "'", `'\''`), join)
	default:
		s += fmt.Sprintf("for i in $(seq %d); do\n\t%s\ndone\n%s\n", count, one("${i}", "$i"+of), join)
	}
	return s
}

// manifest is an indexed Job of Kubernetes, and one that joins the parts when all are there.
func manifest(command []string, out, join, cost, image, claim string, count int, memory int64) any {
	type object = map[string]any
	job := func(name string, spec object, first []object, container object) object {
		for _, c := range append(first, container) {
			c["image"], c["workingDir"], c["volumeMounts"] = image, "/data", []object{{"name": "data", "mountPath": "/data"}}
		}
		pod := object{"restartPolicy": "OnFailure", "containers": []object{container}, "volumes": []object{{"name": "data", "persistentVolumeClaim": object{"claimName": claim}}}}
		if first != nil {
			pod["initContainers"] = first
		}
		spec["template"] = object{"spec": pod}
		return object{"apiVersion": "batch/v1", "kind": "Job", "metadata": object{"name": name, "annotations": object{"sgplvm/part": "each part " + cost}}, "spec": spec}
	}
	work := object{"name": "part", "command": slices.Concat([]string{"sgplvm"}, command, []string{"-part", "auto", "-parts", fmt.Sprint(count)})}
	if memory > 0 {
		work["resources"] = object{"requests": object{"memory": fmt.Sprintf("%dMi", memory>>20+1)}}
	}
	name := "sgplvm-" + command[0]
	wait := fmt.Sprintf("until [ $(ls %s | wc -l) = %d ]; do sleep 5; done", partFiles(path.Clean(out), count), count)
	return object{"apiVersion": "v1", "kind": "List", "items": []object{
		job(name, object{"completions": count, "parallelism": count, "completionMode": "Indexed", "backoffLimit": 3 * count}, nil, work),
		job(name+"-join", object{"backoffLimit": 3}, []object{{"name": "wait", "command": []string{"sh", "-c", wait}}},
			object{"name": "join", "command": []string{"sh", "-c", join}}),
	}}
}
