package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/cmd/internal/picture"
)

// A search in tasks, the last one first, ends in the model of one process and leaves no other file. Tasks that are not there, of other data or damaged are refused.
func TestPlan(t *testing.T) {
	t.Chdir(t.TempDir())
	writeArray(t, "faces.npy", picture.Faces(16, 5, 7, 1))
	writeArray(t, "other.npy", picture.Faces(16, 5, 7, 2))
	search := strings.Fields("train -data faces.npy -effort quick -out")
	succeed(t, append(search, "one")...)
	tasks := func(arg ...string) []string {
		return append(append(search[:len(search):len(search)], "many", "-plan", "P"), arg...)
	}
	mustFail(t, 2, "~train: -task 1: P/tasks lists no tasks.*", tasks("-task", "1")...)
	if _, err := os.Stat("P"); err == nil {
		t.Error("a folder is left of a command that was refused")
	}
	succeed(t, tasks()...)
	mustFail(t, 2, "~train: -task 1000: P/tasks lists 2 tasks, expected auto or a number from 1 on.*", tasks("-task", "1000")...)
	mustFail(t, 2, "~train: -task auto: no scheduler in the environment.*", tasks("-task", "auto")...)
	mustFail(t, 1, "~P: checkpoint: of a run with other values.*", strings.Fields("train -data other.npy -effort quick -out many -plan P")...)
	damaged := false
	for rounds := 0; ; rounds++ {
		list, err := os.ReadFile("P/tasks")
		if err != nil {
			if rounds == 0 {
				t.Error("no tasks")
			}
			break
		}
		lines := strings.Split(strings.TrimSpace(string(list)), "\n")
		for i := len(lines); i > 0; i-- {
			succeed(t, tasks("-task", fmt.Sprint(i))...)
		}
		if o := sgplvmRun(tasks("-task", "1")...); o.code != 0 || !strings.Contains(o.stderr, "task 1 was done before") {
			t.Errorf("a task again: %d %s", o.code, o.stderr)
		}
		if name, _, _ := strings.Cut(lines[0], " "); !damaged {
			damaged = true
			whole, err := os.ReadFile("P/" + name + ".task")
			if err != nil {
				t.Fatal(err)
			}
			write(t, "P/"+name+".task", whole[:len(whole)-1])
			mustFail(t, 1, "~P: task "+name+".*", tasks()...)
			other, _, _ := strings.Cut(lines[1], " ")
			write(t, "P/"+name+".task", read(t, "P/"+other+".task"))
			mustFail(t, 1, "~P: task "+name+": found the result of another task.*", tasks()...)
			write(t, "P/"+name+".task", whole)
		}
		succeed(t, tasks()...)
	}
	one, err := os.ReadFile("one")
	if err != nil {
		t.Fatal(err)
	}
	if many, err := os.ReadFile("many"); err != nil || !bytes.Equal(one, many) {
		t.Errorf("another model, %v", err)
	}
	if _, err := os.Stat("P"); err == nil {
		t.Error("the folder is left")
	}
	for args, err := range map[string]string{"-task 1": "-task without -plan", "-plan P -limit 5s": "-limit with -plan", "-plan P -resume": "-resume with -plan", "-plan P -inputs runs.csv": "-inputs with -plan"} {
		mustFail(t, 2, "~train: "+err+".*", append(append(search[:len(search):len(search)], "many"), strings.Fields(args)...)...)
	}
}
