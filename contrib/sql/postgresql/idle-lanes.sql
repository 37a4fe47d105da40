-- Hot loops whose masks leave more than half of the lanes idle. An inner loop is in its outer one, too.
WITH b AS (
	SELECT object, from_func AS func, to_off AS head, from_off AS latch, SUM(taken) AS trips
	FROM edges JOIN loads USING (load)
	WHERE to_object = object AND to_func = from_func AND to_off <= from_off AND from_func >= 0
	GROUP BY object, from_func, to_off, from_off HAVING SUM(taken) > 1000),
g AS (
	SELECT object, func, off, SUM(n) AS hits, SUM(lanes_on) AS used, SUM(lanes_all) AS avail
	FROM simd JOIN loads USING (load) WHERE lanes_all > 0 GROUP BY object, func, off)
SELECT f.name, b.head, b.latch, b.trips, SUM(g.hits) AS samples, 100.0 * SUM(g.used) / SUM(g.avail) AS lanes
FROM b JOIN g USING (object, func) JOIN functions f USING (object, func)
WHERE g.off >= b.head AND g.off <= b.latch
GROUP BY f.name, b.head, b.latch, b.trips
HAVING SUM(g.used) * 2 < SUM(g.avail)
ORDER BY samples DESC, f.name, b.head;
