package templates

// OverviewView is how the whole site stands to every crawler known.
type OverviewView struct {
	Lead   string // the purposes that people ask about most
	Alarms []AlarmView
	Groups []OverviewGroup // of those purposes
	More   []OverviewGroup // of the others
	Names  []string        // rich: names in the file that speak to nobody here
	Legend string          // rich
}

// AlarmView is a contradiction in who may come.
type AlarmView struct {
	Bad         bool
	Title, Text string // rich
}

// OverviewGroup is the crawlers of one purpose.
type OverviewGroup struct {
	Name string
	Text string // how many are open and closed
	Bots []BotView
}

// BotView is one crawler.
type BotView struct {
	Name, Href string
	State      string // open, partly, closed, not-controlled, unknown
	How        string // named, other, none
	Word       string // what State means
	Note       string // rich: what decides
}
