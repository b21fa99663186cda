package robots

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// answer is one case of a conformance file: what Google's published matcher says.
// Its input is text, bytes in base64, or the name of a file.
type answer struct {
	ID      string   `json:"id"`
	Note    string   `json:"note"`
	Robots  string   `json:"robots"`
	Bytes   []byte   `json:"robots_b64"`
	File    string   `json:"file"`
	Agents  []string `json:"agents"`
	URL     string   `json:"url"`
	Allowed bool     `json:"allowed"`
	Line    int      `json:"line"`
	RFC9309 *bool    `json:"rfc9309_allowed"` // the verdict of the RFC, where it is clear
}

func (a *answer) body() []byte {
	if a.Bytes != nil {
		return a.Bytes
	}
	return []byte(a.Robots)
}

func readAnswers(t *testing.T, name string) []answer {
	t.Helper()
	in, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var all []answer
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var a answer
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		all = append(all, a)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// asGoogle asks as the published matcher is asked: the URL as it stands, all
// agents of equal rank.
func asGoogle(f *File, agents []string, url string) Decision {
	return f.Select(Agent{Names: agents, Star: true, Cut: true, Merge: true}).Match(Path(url))
}

func TestConformance(t *testing.T) {
	for _, name := range []string{"google-5000.jsonl", "traps.jsonl"} {
		t.Run(name, func(t *testing.T) {
			all := readAnswers(t, filepath.Join("testdata", name))
			right := 0
			for _, a := range all {
				d := asGoogle(Parse(a.body(), Options{}), a.Agents, a.URL)
				if d.Allowed != a.Allowed || d.Line != a.Line {
					t.Errorf("%s (%s): got allowed %t, line %d; want %t, %d", a.ID, a.Note, d.Allowed, d.Line, a.Allowed, a.Line)
					continue
				}
				right++
			}
			t.Logf("%d of %d right in verdict and line", right, len(all))
		})
	}

	// Real files, which are not ours to carry: read where they lie beside the tree.
	corpus := filepath.Join("..", "..", "..", "shared", "corpus")
	if _, err := os.Stat(filepath.Join(corpus, "answers.jsonl")); err != nil {
		t.Log("no collection of real files beside the tree")
		return
	}
	t.Run("real files", func(t *testing.T) {
		files := make(map[string]*File)
		all := readAnswers(t, filepath.Join(corpus, "answers.jsonl"))
		right := 0
		for _, a := range all {
			f := files[a.File]
			if f == nil {
				body, err := os.ReadFile(filepath.Join(corpus, a.File))
				if err != nil {
					t.Fatal(err)
				}
				f = Parse(body, Options{})
				files[a.File] = f
			}
			d := asGoogle(f, a.Agents, a.URL)
			if d.Allowed != a.Allowed || d.Line != a.Line {
				t.Errorf("%s %q %s: got allowed %t, line %d; want %t, %d", a.File, a.Agents, a.URL, d.Allowed, d.Line, a.Allowed, a.Line)
				continue
			}
			right++
		}
		t.Logf("%d of %d right in verdict and line", right, len(all))
	})
}
