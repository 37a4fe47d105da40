-- Hosts that lose samples, those with the largest share first.
SELECT host, SUM(samples) AS samples, MAX(lost) AS lost, 100.0 * SUM(lost) / (SUM(samples) + SUM(lost)) AS share
FROM loads
GROUP BY host
HAVING SUM(lost) > 0
ORDER BY share DESC, host
LIMIT 50;
