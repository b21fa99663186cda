package web

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/whichrule/whichrule/templates"
)

// serveAbout answers GET /about.
func (s *Site) serveAbout(w http.ResponseWriter, r *http.Request) error {
	wd := words(r)
	section := func(id string, texts ...string) templates.AboutSection {
		a := templates.AboutSection{Heading: wd.T("about." + id)}
		for _, t := range texts {
			a.Text = append(a.Text, wd.Rich("about."+id+"."+t))
		}
		return a
	}
	kept := section("stored", "tests", "fetches", "shares", "logs")
	if !s.Lasting {
		kept.Text = append(kept.Text, wd.Rich("about.stored.memory"))
	}
	v := templates.AboutView{Sections: []templates.AboutSection{
		section("what", "question", "rules", "fetch"),
		kept,
		section("remove", "own", "other"),
		section("wrong", "how"),
	}}
	contact := section("contact", "who")
	contact.Contact = s.Contact
	switch {
	case s.Contact == "":
		contact.Text = []string{wd.Rich("about.contact.none")}
	case strings.HasPrefix(s.Contact, "https://"), strings.HasPrefix(s.Contact, "http://"):
		contact.Mail = s.Contact
	case strings.Contains(s.Contact, "@") && !strings.ContainsAny(s.Contact, " <>"):
		contact.Mail = "mailto:" + s.Contact
	}
	v.Sections = append(v.Sections, contact)
	w.Header().Set("Cache-Control", "public, max-age=300")
	return s.page(w, r, http.StatusOK, templates.PageView{
		Title:       wd.T("page.title", "Title", wd.T("about.title")),
		Description: wd.T("about.description"),
		Canonical:   s.base(r) + "/about",
		Nav:         "about",
	}, templates.About(v))
}

// text answers with a short plain text.
func text(w http.ResponseWriter, status int, contentType, body string) error {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_, _ = fmt.Fprint(w, body)
	return nil
}

// serveHealth answers GET /healthz: the process runs.
func (s *Site) serveHealth(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Cache-Control", "no-store")
	return text(w, http.StatusOK, "text/plain; charset=utf-8", "ok\n")
}

// serveReady answers GET /readyz: the site wants traffic, also while Redis is
// down, since all but shared links goes on.
func (s *Site) serveReady(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Cache-Control", "no-store")
	if !s.ready.Load() {
		return text(w, http.StatusServiceUnavailable, "text/plain; charset=utf-8", "starting or draining\n")
	}
	state := "ready\n"
	switch {
	case s.Redis == nil:
	case s.Redis(r.Context()) == nil:
		state += "redis: up\n"
	default:
		state += "redis: down, shared links cannot be made or opened\n"
	}
	return text(w, http.StatusOK, "text/plain; charset=utf-8", state)
}

// serveRobots answers GET /robots.txt: the site's own. It opens shares so that
// previews, and the noindex on them, can be read.
func (s *Site) serveRobots(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Cache-Control", "public, max-age=3600")
	return text(w, http.StatusOK, "text/plain; charset=utf-8", `User-agent: *
Disallow: /?
Disallow: /test
Disallow: /hosts
Disallow: /crawlers?
Disallow: /r/*/live
Disallow: /r/*/manage
Allow: /r/

Sitemap: `+s.base(r)+"/sitemap.xml\n")
}

// serveSitemap answers GET /sitemap.xml: the pages that search engines want.
func (s *Site) serveSitemap(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Cache-Control", "public, max-age=3600")
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for _, path := range []string{"/", "/about"} {
		b.WriteString("<url><loc>" + escapeXML(s.base(r)+path) + "</loc></url>\n")
	}
	catalogue := []string{"/crawlers"}
	for _, cr := range s.Catalogue.All() {
		catalogue = append(catalogue, crawlerAddress(cr.Token))
	}
	for _, path := range catalogue {
		b.WriteString("<url><loc>" + escapeXML(s.base(r)+path) + "</loc><lastmod>" + s.Catalogue.Version() + "</lastmod></url>\n")
	}
	b.WriteString("</urlset>\n")
	return text(w, http.StatusOK, "application/xml; charset=utf-8", b.String())
}

// escapeXML escapes what the Host header of a request may hold.
func escapeXML(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;").Replace(s)
}

// serveFavicon answers GET /favicon.ico, which some programs ask for unasked.
func (s *Site) serveFavicon(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Cache-Control", "public, max-age=86400")
	http.Redirect(w, r, s.Assets.URL("favicon.svg"), http.StatusFound)
	return nil
}
