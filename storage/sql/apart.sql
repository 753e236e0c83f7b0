-- One row per benchmark and level: the questions that both linkers were scored on, and those that only one of them was.
WITH asked AS (
  SELECT benchmark, level, database, question, repetition,
         bool_or(run = $run_a AND linker = $linker_a) AS in_a, bool_or(run = $run_b AND linker = $linker_b) AS in_b
  FROM scores
  WHERE list_contains($levels, level)
    AND ((run = $run_a AND linker = $linker_a) OR (run = $run_b AND linker = $linker_b))
  GROUP BY ALL
)
SELECT benchmark, level, count(*) FILTER (in_a AND in_b) AS both,
       count(*) FILTER (NOT in_b) AS only_a, count(*) FILTER (NOT in_a) AS only_b
FROM asked
GROUP BY ALL
ORDER BY ALL
