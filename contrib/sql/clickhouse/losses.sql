-- Hosts that lose samples, those with the largest share first. Each load of a recording tells all that it lost.
SELECT host_of AS host, sum(taken) AS got, sum(gone) AS missed, 100 * sum(gone) / (sum(taken) + sum(gone)) AS share
FROM (SELECT recording_of, any(host_at) AS host_of, sum(samples_of) AS taken, max(lost_of) AS gone
	FROM (SELECT load, any(recording) AS recording_of, any(host) AS host_at, any(samples) AS samples_of, any(lost) AS lost_of
		FROM loads GROUP BY load)
	GROUP BY recording_of)
GROUP BY host_of
HAVING sum(gone) > 0
ORDER BY share DESC, host
LIMIT 50
