-- One row per run, benchmark and linker: how many questions were asked, and how many of them failed, fell back, or could
-- not be run by the engine at hand.
SELECT run, benchmark, linker,
       count(*) AS questions,
       count(*) FILTER (status NOT IN ('ok', 'fallback', 'unsupported')) AS failed,
       count(*) FILTER (status = 'fallback') AS fallback,
       count(*) FILTER (status = 'unsupported') AS unsupported
FROM {dataset}
GROUP BY ALL
ORDER BY ALL
