package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// hardText has lines whose glyphs come from many fonts, and lengths from
// nothing to far beyond the window. Its rules, which are underlined and marked,
// are among them.
func hardText(lines int) string {
	all := []string{
		"User-agent: *",
		"Disallow: /漢字/カタカナ/한국어",
		"Disallow: /\t\ttabs\tin\tit",
		"Disallow: /👩‍👩‍👧‍👦/🇭🇺/😀",
		"Disallow: /e\u0301\u0323\u0302 a\u0308\u0304 กำ้ Z̵̡͝a̷͖͋l̸̰͑g̷̻̈́o̶͕͝",
		"Disallow: /עברית/العربية",
		"",
		"Disallow: /" + strings.Repeat("long/", 400),
		"# \u200b\ufeff\u00ad ﷽ ⸻ 𒐫",
		"Disallow: /*",
	}
	for len(all) < lines {
		n := len(all)
		all = append(all, all[n%10][:min(len(all[n%10]), 200)])
	}
	return strings.Join(all, "\n")
}

// Numbers, marks, text and veil are four layers that have to agree about where
// a line is, whatever is in it.
func TestLinesAreAligned(t *testing.T) {
	for _, l := range []look{{width: 1366}, {width: 390, dark: true}, {width: 1366, noJS: true}} {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			b := open(t, l)
			b.visit("/")
			const lines = 2000
			b.fill("#robots", hardText(lines))
			b.fill("#url", "/漢字/カタカナ/한국어")
			b.test(l)
			b.until(seenMatrix + `.startsWith("/漢字/カタカナ/한국어: blocked 2, ")`)

			// Every line is 24 pixels high in every layer, from the same top.
			for _, wrong := range eval[[]string](b, `(() => {
				const wrong = [], top = document.querySelector("#robots").getBoundingClientRect().top + parseFloat(getComputedStyle(document.querySelector("#robots")).paddingTop);
				const check = (what, n, at) => { if (Math.abs(at - top - 24 * (n - 1)) > 0.5 && wrong.length < 20) wrong.push(what + " " + n + " is at " + (at - top)) };
				for (const a of document.querySelectorAll("#gutter a")) check("number", +a.textContent, a.getBoundingClientRect().top);
				for (const layer of ["#marks", "#veil"]) {
					let n = 1;
					for (const s of document.querySelectorAll(layer + " > span")) {
						check(layer, n, s.getBoundingClientRect().top);
						for (const inner of s.querySelectorAll("u, b")) check(layer + " " + inner.localName, n, inner.getBoundingClientRect().top - (24 - inner.getBoundingClientRect().height) / 2);
						n += s.textContent.match(/\n/g)?.length ?? 0;
					}
					check(layer + " end", n, document.querySelector(layer + " > span:last-child").getBoundingClientRect().bottom);
				}
				const r = document.querySelector("#robots"), p = parseFloat(getComputedStyle(r).paddingTop) + parseFloat(getComputedStyle(r).paddingBottom);
				if (Math.abs(r.clientHeight - p - 24 * r.value.split("\n").length) > 1) wrong.push("the text is " + (r.clientHeight - p) + " high");
				if (r.scrollHeight > r.clientHeight || r.scrollWidth > r.clientWidth) wrong.push("the text scrolls by itself");
				return wrong;
			})()`) {
				t.Error(wrong)
			}

			// And the text's own lines are where their numbers are.
			for _, line := range []int{1, 2, 3, 4, 5, 6, 8, 9, 10, 500, 1004, 1999, 2000} {
				got := eval[int](b, fmt.Sprintf(`(() => {
					const r = document.querySelector("#robots"), l = document.querySelector("#L%d");
					l.scrollIntoView({block: "center"});
					const box = l.getBoundingClientRect(), at = document.caretPositionFromPoint(r.getBoundingClientRect().left + 60, box.top + 12);
					return at?.offsetNode === r ? r.value.slice(0, at.offset).split("\n").length : 0;
				})()`, line))
				if got != line {
					t.Errorf("beside number %d is line %d", line, got)
				}
			}
		})
	}
}

// An underline is as long as the text that it is under.
func TestUnderlines(t *testing.T) {
	t.Parallel()
	b := open(t, look{})
	b.visit("/")
	b.fill("#robots", "User-agent: *\nDisallow: /\nDisallow: /x #\t\t漢字\té\u0323 👩‍👩‍👧‍👦 more\nDisallow: /x/long\n")
	b.fill("#url", "/x/long/er")
	b.untilIs(seenMarks, "1 agent, 2 lost, 3 lost, 4 wins")
	for _, line := range []int{2, 3} {
		got := eval[float64](b, fmt.Sprintf(`(() => {
			const r = document.querySelector("#robots"), u = document.querySelectorAll("#marks > span")[%d].querySelector("u").getBoundingClientRect();
			const end = x => r.value.slice(document.caretPositionFromPoint(x, u.top + 12).offset)[0];
			let x = u.right - 30;
			while (end(x) !== "\n" && x < u.right + 200) x++;
			return x - u.right;
		})()`, line-1))
		if got < -15 || got > 1 { // the caret comes to the end from the middle of the last character on
			t.Errorf("line %d ends %v pixels behind its underline", line, got)
		}
	}
}

// Dimmed text can still be read: WCAG 1.4.3 asks for a contrast of 4.5.
func TestDimmedTextIsReadable(t *testing.T) {
	t.Parallel()
	b := open(t, look{width: 1366})
	b.visit("/")
	contrast := func(what, of, under string) {
		t.Helper()
		for _, l := range looks[:2] {
			b.look(l)
			got := eval[float64](b, fmt.Sprintf(`(() => {
				const paint = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
				const luminance = (...colours) => {
					for (const c of colours) {
						paint.fillStyle = c;
						paint.fillRect(0, 0, 1, 1);
					}
					const [r, g, b] = [...paint.getImageData(0, 0, 1, 1).data].map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
					return 0.2126 * r + 0.7152 * g + 0.0722 * b;
				};
				const card = getComputedStyle(document.querySelector(".editor")).backgroundColor;
				const ink = getComputedStyle(document.querySelector("#robots")%s).color;
				const veil = getComputedStyle(document.querySelector("%s")).backgroundColor;
				const [hi, lo] = [luminance(card, veil), luminance(card, ink, veil)].sort((a, b) => b - a);
				return (hi + 0.05) / (lo + 0.05);
			})()`, of, under))
			if got < 4.5 {
				t.Errorf("%v: the contrast of %s is %.2f", l, what, got)
			}
		}
	}
	contrast("dimmed lines", "", "#veil .dim")
	b.expect("status of 422")
	b.fill("#robots", "")
	b.until(`document.querySelector("#err-robots").innerText !== ""`)
	b.until(`!document.querySelector("#veil").checkVisibility()`) // it would dim the placeholder
	contrast("the placeholder", `, "::placeholder"`, "body > footer")
}
