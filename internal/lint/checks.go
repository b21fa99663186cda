package lint

// checks are all kinds in the order of the report, with the severities that each can
// have. A Problem changes what crawlers do and is hardly meant; what may be meant is a
// Note.
var checks = []check{
	{SwallowedGroup, swallowedGroup, []Severity{Problem, Note},
		"names that get rules of others are closed out unseen; where the rules close nothing, or a few bots of one purpose stand like a list, nothing is lost",
		[]string{"star", "named", "list", "harmless", "effect", "fix", "join"}},
}
