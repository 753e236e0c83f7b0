-- One row per run, benchmark and linker: how many questions were asked, and how many of them failed or fell back.
SELECT run, benchmark, linker,
       count(*) AS questions,
       count(*) FILTER (status NOT IN ('ok', 'fallback')) AS failed,
       count(*) FILTER (status = 'fallback') AS fallback,
       sum(calls) AS calls, sum(prompt_tokens) AS prompt_tokens, sum(cached_tokens) AS cached_tokens,
       sum(completion_tokens) AS completion_tokens, sum(seconds) AS seconds, sum(model_seconds) AS model_seconds
FROM linkings
GROUP BY ALL
ORDER BY ALL
