-- One row per level, group and metric: the sums and numbers of values by cluster, that its mean and interval are made of.
WITH sums AS (
  SELECT s.level, s.run, s.benchmark, s.linker, {slice} AS slice, s.metric, {cluster} AS cluster,
         sum(s.value) AS total, count(s.value) AS n
  FROM scores s {join}
  WHERE {where}
  GROUP BY ALL
)
SELECT level, run, benchmark, linker, slice, metric,
       list(coalesce(total, 0) ORDER BY cluster) AS totals, list(n ORDER BY cluster) AS counts,
       min(cluster) AS first, max(cluster) AS last
FROM sums
GROUP BY ALL
