-- Hot loops whose masks leave more than half of the lanes idle. An inner loop is in its outer one, too.
SELECT name, head, latch, trips, sum(hits) AS samples, 100 * sum(used) / sum(avail) AS lanes
FROM (SELECT object, func, head, latch, trips, off, hits, used, avail
	FROM (SELECT object, from_func AS func, to_off AS head, from_off AS latch, sum(taken) AS trips
		FROM edges GLOBAL ANY INNER JOIN (SELECT load, weight FROM loads) USING load
		WHERE to_object = object AND to_func = from_func AND to_off <= from_off AND from_func >= 0
		GROUP BY object, from_func, to_off, from_off HAVING trips > 1000)
	ALL INNER JOIN (SELECT object, func, off, sum(n) AS hits, sum(lanes_on) AS used, sum(lanes_all) AS avail
		FROM simd GLOBAL ANY INNER JOIN (SELECT load, weight FROM loads) USING load
		WHERE lanes_all > 0 GROUP BY object, func, off) USING object, func)
GLOBAL ANY INNER JOIN (SELECT object, func, any(name) AS name FROM functions GROUP BY object, func) USING object, func
WHERE off >= head AND off <= latch
GROUP BY name, head, latch, trips
HAVING lanes < 50
ORDER BY samples DESC, name, head
