-- One row per run, benchmark, linker and stage: totals, and the spread over questions.
SELECT run, benchmark, linker, stage, any_value(nullif(model, '')) AS model,
       count(*) AS questions, sum(calls)::BIGINT AS calls, sum(cached_calls)::BIGINT AS from_disk,
       sum(prompt_tokens)::BIGINT AS prompt_tokens, sum(cached_tokens)::BIGINT AS cached_tokens,
       sum(completion_tokens)::BIGINT AS completion_tokens,
       avg(prompt_tokens + completion_tokens) AS tokens_a_question,
       1000 * median(seconds) AS own_ms_median, 1000 * quantile_cont(seconds, 0.95) AS own_ms_p95,
       avg(model_seconds) AS model_seconds_a_question,
       CASE WHEN count(money) = count(*) THEN sum(money) END AS money,
       sum(machine_money) AS machine_money
FROM costs
GROUP BY ALL
ORDER BY ALL
