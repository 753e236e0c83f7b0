#!/bin/bash
# One run on many nodes: an array job whose tasks run every n-th shard each, beside a vLLM server of their own.
#   sbatch flows/templates/slurm.sh          from the root of a checkout that all nodes see
# Submit it again to go on after a time limit or a lost node: what is done is skipped. The last task to end joins the
# shards and prints the leaderboard. Change the lines marked with <-.
#SBATCH --job-name=schemalink
#SBATCH --array=1-4                       # <- nodes; must begin at 1, in steps of 1
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=8
#SBATCH --gpus-per-task=1                 # <- GPUs of one server; also --tensor-parallel-size below
#SBATCH --mem=64G
#SBATCH --time=08:00:00
#SBATCH --output=schemalink-%A-%a.log
set -euo pipefail

MODEL=${MODEL:-Qwen/Qwen2.5-Coder-7B-Instruct}   # <- a hub's name or a folder of weights that all nodes see
STORAGE=${STORAGE:-$PWD/results}                 # <- a folder that all nodes see, or a URL such as s3://bucket/results
PYTHON=${PYTHON:-$PWD/.venv/bin/python}          # <- the interpreter that schemalink is installed for
VLLM=${VLLM:-$PYTHON}                            # <- one that vLLM is installed for
RUN=${RUN:-bird-dev-7b}
LOCAL=${SLURM_TMPDIR:-$(mktemp -d)}              # a disk of the node: logs of the server, history of Prefect
PORT=$((8000 + SLURM_ARRAY_TASK_ID))             # tasks that share a node do not share a server

# All tasks report to one Prefect server where PREFECT_API_URL names it (start it on a login node:
# prefect server start --host 0.0.0.0). Else each starts one of its own, whose history must not lie on a shared disk.
export PREFECT_HOME=${PREFECT_HOME:-$LOCAL/prefect}

"$PYTHON" -m flows serve "$MODEL" --name model --port "$PORT" --python "$VLLM" --storage "$LOCAL" -- --max-model-len 16384 &
SERVER=$!
trap 'kill "$SERVER" 2>/dev/null; wait "$SERVER" || true' EXIT
until curl --silent --fail --output /dev/null "http://127.0.0.1:$PORT/health"; do
  kill -0 "$SERVER" || { echo "the model server did not start, see the log above" >&2; exit 1; }
  sleep 5
done

# The model is named, so that every task's configuration is the same whatever its server's port.
"$PYTHON" -m flows evaluate --storage "$STORAGE" --run "$RUN" --benchmarks bird --linkers "full,schemagraphsql" --model model --endpoint "http://127.0.0.1:$PORT/v1" --generate --execute --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT"
