-- The branch profile of one build, over all machines: put the build id in place of BUILDID, twice.
SELECT from_off, to_off, end_off, sum(taken * weight) AS times, sum(mispred * weight) AS missed
FROM edges GLOBAL ANY INNER JOIN (SELECT load, weight FROM loads) USING load
WHERE object = 'BUILDID' AND to_object = 'BUILDID'
GROUP BY from_off, to_off, end_off
ORDER BY from_off, to_off, end_off
