-- Two releases of a service: each function's share of each, in %. Releases 41 and 42 of service web here.
-- Noise of a difference is about 2 * sqrt(was/n_was + now/n_now) of shares, n samples of a release.
SELECT name, sum(was_part) AS was, sum(now_part) AS is_now, is_now - was AS delta, sum(hits) AS n
FROM (SELECT object, func, hits, if(release = '41', 100 * part / total, 0) AS was_part,
		if(release = '42', 100 * part / total, 0) AS now_part
	FROM (SELECT release, object, func, sum(period * weight) AS part, sum(n) AS hits
		FROM samples GLOBAL ANY INNER JOIN (SELECT load, release, weight FROM loads
			WHERE service = 'web' AND event = 'cycles' AND release IN ('41', '42')) USING load
		WHERE func >= 0 GROUP BY release, object, func)
	ANY INNER JOIN (SELECT release, sum(period * weight) AS total
		FROM samples GLOBAL ANY INNER JOIN (SELECT load, release, weight FROM loads
			WHERE service = 'web' AND event = 'cycles' AND release IN ('41', '42')) USING load
		WHERE func >= 0 GROUP BY release) USING release)
GLOBAL ANY INNER JOIN (SELECT object, func, any(name) AS name FROM functions GROUP BY object, func) USING object, func
GROUP BY name
ORDER BY abs(delta) DESC, name
LIMIT 50
