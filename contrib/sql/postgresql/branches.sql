-- The branch profile of one build, over all machines. psql -v id=BUILDID
SELECT from_off, to_off, end_off, SUM(taken * weight) AS taken, SUM(mispred * weight) AS mispred
FROM edges JOIN loads USING (load)
WHERE object = :'id' AND to_object = :'id'
GROUP BY from_off, to_off, end_off
ORDER BY from_off, to_off, end_off;
