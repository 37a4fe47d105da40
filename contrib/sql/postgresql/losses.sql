-- Hosts that lose samples, those with the largest share first. Each load of a recording tells all that it lost.
WITH r AS (SELECT recording, MIN(host) AS host, SUM(samples) AS samples, MAX(lost) AS lost FROM loads GROUP BY recording)
SELECT host, SUM(samples) AS samples, SUM(lost) AS lost, 100.0 * SUM(lost) / (SUM(samples) + SUM(lost)) AS share
FROM r
GROUP BY host
HAVING SUM(lost) > 0
ORDER BY share DESC, host
LIMIT 50;
