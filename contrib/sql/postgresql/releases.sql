-- Two releases of a service: each function's share of each, in %. psql -v service=web -v event=cycles -v was=41 -v now=42
-- Noise of a difference is about 2 * sqrt(was/n_was + now/n_now) of shares, n samples of a release.
WITH c AS (
	SELECT l.release, f.name, SUM(s.period * l.weight) AS cost, SUM(s.n) AS n
	FROM samples s
	JOIN loads l USING (load)
	JOIN functions f USING (object, func)
	WHERE l.service = :'service' AND l.event = :'event' AND l.release IN (:'was', :'now')
	GROUP BY l.release, f.name),
t AS (SELECT release, SUM(cost) AS total FROM c GROUP BY release),
p AS (
	SELECT c.name, SUM(CASE WHEN c.release = :'was' THEN 100 * c.cost / t.total ELSE 0 END) AS was,
		SUM(CASE WHEN c.release = :'now' THEN 100 * c.cost / t.total ELSE 0 END) AS is_now, SUM(c.n) AS n
	FROM c JOIN t ON t.release = c.release GROUP BY c.name)
SELECT name, was, is_now, is_now - was AS delta, n FROM p ORDER BY ABS(is_now - was) DESC, name LIMIT 50;
