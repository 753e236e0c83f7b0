-- One row per run, benchmark and linker: how many questions were asked, and how many of them failed or fell back.
SELECT run, benchmark, linker,
       count(*) AS questions,
       count(*) FILTER (status NOT IN ('ok', 'fallback')) AS failed,
       count(*) FILTER (status = 'fallback') AS fallback
FROM {dataset}
GROUP BY ALL
ORDER BY ALL
