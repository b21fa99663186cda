package lint

// checks are all kinds in the order of the report, with the severities that each can
// have. A Problem changes what crawlers do and is hardly meant; what may be meant is a
// Note.
var checks = []check{
	{SwallowedGroup, swallowedGroup, []Severity{Problem, Warning, Note},
		"names that get rules of others are closed out unseen; a warning where they get those of * that they would follow anyway; a note where the rules close nothing, or bots of one purpose stand like a list",
		[]string{"star", "named", "as-star", "list", "harmless", "effect", "fix", "join"}},
}
