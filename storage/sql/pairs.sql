-- One row per benchmark, level, metric and slice: the values of two linkers on the same questions, s before t.
SELECT s.benchmark, s.level, s.metric, {slice} AS slice,
       list(s.question ORDER BY s.database, s.question, s.repetition) AS questions,
       list(s.repetition ORDER BY s.database, s.question, s.repetition) AS repetitions,
       list(s.database ORDER BY s.database, s.question, s.repetition) AS databases,
       list(s.value ORDER BY s.database, s.question, s.repetition) AS a,
       list(t.value ORDER BY s.database, s.question, s.repetition) AS b
FROM scores s
JOIN scores t ON t.benchmark = s.benchmark AND t.database = s.database AND t.question = s.question
             AND t.repetition = s.repetition AND t.level = s.level AND t.metric = s.metric
{join}
WHERE s.run = $run_a AND s.linker = $linker_a AND t.run = $run_b AND t.linker = $linker_b
  AND s.value IS NOT NULL AND t.value IS NOT NULL
  AND list_contains($levels, s.level) AND list_contains($metrics, s.metric)
GROUP BY ALL
ORDER BY ALL
