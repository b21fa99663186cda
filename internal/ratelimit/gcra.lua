-- The same as gcra in gcra.go. KEYS[1] holds free as "seconds.nanoseconds"; ARGV: interval, burst, the furthest that
-- free can lie ahead, and 1 to count the request or 0 to ask only. Returns the time to wait, 0 when the request is OK, and how many more may follow.
--
-- All times are in nanoseconds and from now, since Lua counts in doubles: those since 1970 would not be exact.
local interval, burst, longest = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local now = redis.call('TIME')
local second, nano = tonumber(now[1]), tonumber(now[2]) * 1000

local ahead = 0
local free = redis.pcall('GET', KEYS[1])
if type(free) == 'string' then -- else there is none, or a value of another type: SET replaces that, too
	local s, n = string.match(free, '^(%d+)%.(%d%d%d%d%d%d%d%d%d)$')
	if s then
		ahead = (tonumber(s) - second) * 1e9 + tonumber(n) - nano
	end
end
if ahead < 0 or ahead > longest then -- used nothing, or a value that is not ours or of a clock that was wrong
	ahead = 0
end

local next = ahead + interval
local earliest = next - burst * interval
if earliest > 0 then
	return {earliest, 0}
end
if ARGV[4] == '1' then
	nano = nano + next
	local text = string.format('%d.%09d', second + math.floor(nano / 1e9), nano % 1e9)
	redis.call('SET', KEYS[1], text, 'PX', math.ceil(next / 1e6))
end
return {0, math.floor(-earliest / interval)}
