-- The functions that cost a service most. psql -v service=web -v event=cycles
SELECT f.name, SUM(s.period * l.weight) AS cost, SUM(s.n) AS samples, COUNT(DISTINCT l.host) AS hosts
FROM samples s
JOIN loads l USING (load)
JOIN functions f USING (object, func)
WHERE l.service = :'service' AND l.event = :'event'
GROUP BY f.name
ORDER BY cost DESC, f.name
LIMIT 50;
