-- Hosts that lose samples, those with the largest share first.
SELECT host, sum(samples) AS got, max(lost) AS most, 100 * sum(lost) / (sum(samples) + sum(lost)) AS share
FROM (SELECT load, any(host) AS host, any(samples) AS samples, any(lost) AS lost FROM loads GROUP BY load)
GROUP BY host
HAVING sum(lost) > 0
ORDER BY share DESC, host
LIMIT 50
