-- One row per question, linker and stage: what was asked of the model, and what that and the linker's own time cost.
-- money is NULL where the model has no price.
CREATE VIEW costs AS
WITH spent AS (
  SELECT run, benchmark, database, question, linker, repetition, 'link' AS stage, model, calls, cached_calls,
         prompt_tokens, cached_tokens, completion_tokens, seconds, model_seconds
  FROM linkings
  UNION ALL
  SELECT run, benchmark, database, question, linker, repetition, 'generate', model, calls, cached_calls,
         prompt_tokens, cached_tokens, completion_tokens, seconds, model_seconds
  FROM queries
), priced AS (
  SELECT m.model, arg_max(p, length(p.pattern)) AS price
  FROM (SELECT DISTINCT model FROM spent) m JOIN prices p ON m.model GLOB p.pattern
  GROUP BY m.model
)
SELECT spent.*,
       CASE WHEN calls = 0 THEN 0.0
            WHEN price.gpu_hour > 0 THEN model_seconds / price.concurrency * price.gpus * price.gpu_hour / 3600
            ELSE ((prompt_tokens - cached_tokens) * price.prompt + cached_tokens * price.cached
                  + completion_tokens * price.completion) / 1e6
       END AS money,
       seconds * (SELECT any_value(machine_hour) FROM machine) / 3600 AS machine_money
FROM spent LEFT JOIN priced USING (model)
