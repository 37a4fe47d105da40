-- The functions that cost a service most. Set service and event in the third line from below.
SELECT name, sum(part) AS cost, sum(hits) AS samples, uniqExact(host) AS hosts
FROM (SELECT object, func, host, sum(period * weight) AS part, sum(n) AS hits
	FROM samples GLOBAL ANY INNER JOIN (SELECT load, host, weight FROM loads
		WHERE service = 'web' AND event = 'cycles') USING load
	GROUP BY object, func, host)
GLOBAL ANY INNER JOIN (SELECT object, func, any(name) AS name FROM functions GROUP BY object, func) USING object, func
GROUP BY name
ORDER BY cost DESC, name
LIMIT 50
