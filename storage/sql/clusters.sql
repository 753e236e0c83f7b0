-- One row per group, metric and cluster: the sums that every mean and its interval are made of.
-- A cluster is a database; where a run has questions of one database only, it is a question.
WITH spread AS (
  SELECT run, benchmark, count(DISTINCT database) AS databases FROM scores GROUP BY ALL
), sliced AS (
  SELECT s.run, s.benchmark, s.linker, s.level, s.metric, s.value, s.repetition,
         CASE WHEN spread.databases > 1 THEN s.database ELSE s.question END AS cluster,
         {slice} AS slice
  FROM scores s
  JOIN spread USING (run, benchmark)
  {join}
  WHERE s.level = $level
)
SELECT run, benchmark, linker, slice, metric, cluster, sum(value) AS total, count(value) AS n
FROM sliced
GROUP BY ALL
ORDER BY ALL
