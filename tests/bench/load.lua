-- SPDX-License-Identifier: GPL-2.0-or-later
-- What tests/bench/bolt and clang-pgo let Lua do: calls, tables, sorting, strings.
local function fib(n) if n < 2 then return n end return fib(n-1) + fib(n-2) end
local Account = {}
Account.__index = Account
function Account.new(b) return setmetatable({b = b}, Account) end
function Account:add(v) self.b = self.b + v; return self end
local s, a = 0, Account.new(0)
for round = 1, tonumber(arg[1] or 6) do
	local t = {}
	for i = 1, 200000 do t[i] = (i * 7919 + round) % 100003 end
	table.sort(t)
	for i = 1, #t do
		local v = t[i]
		if v % 3 == 0 then s = s + v elseif v % 5 == 1 then s = s - v * 0.5 else s = s + (v & 7) end
	end
	local words = {}
	for w in (("the quick brown fox jumps over the lazy dog "):rep(3000)):gmatch("%a+") do
		words[w] = (words[w] or 0) + 1
	end
	for i = 1, 600000 do a:add(i % 17) end
	s = s + fib(25) + words.fox
end
print(s, a.b)
