#!/bin/sh
# Measure all models of the study of closeness in distribution and draw its figures.
#
#   sh figures.sh CHECKPOINTS RESULTS [FIGURES]
#
# CHECKPOINTS is the folder that train.sh has filled; models that do not exist yet are
# left out, and the commands say so. RESULTS keeps all rows: to resume after an
# interruption, or after more models were trained, run the same command again. FIGURES
# is the folder of this script by default. Only the figures, small CSV files and the
# text of the commands go there.
set -eu
checkpoints=$1
results=$2
here=$(cd "$(dirname "$0")" && pwd)
figures=${3:-$here/figures}
drawn=$results/figures
mkdir -p "$results" "$figures"
log=$results/log.txt

figure() {
  similitude closeness figure "$@" --checkpoints "$checkpoints" \
    --results "$results" --output-folder "$drawn"
}

draw_all() {
  echo "$(similitude --version), seed 0"
  echo "started $(date -u +'%F %T') UTC"
  figure synthetic_data &&
    figure KL_table --compute &&
    figure d_LLV_constructed --compute &&
    figure d_LLV_train_synthetic --compute &&
    figure d_LLV_vs_width &&
    figure cifar10_reps --model-type SmallCIFAR10 &&
    figure loss_diff_vs_mcca --compute --model-type SmallCIFAR10 &&
    echo "finished $(date -u +'%F %T') UTC"
}

draw_all >"$log" 2>&1 || {
  tail -n 1 "$log" >&2
  exit 2
}
grep -v -e "^$drawn" -e "[0-9] rows" "$log" >"$figures/numbers.txt"

# The points of embeddings and inputs are too large to commit as CSV.
cp "$drawn"/*.png "$drawn"/KL_table.tex "$figures"
for csv in "$drawn"/*.csv; do
  if [ "$(wc -c <"$csv")" -lt 100000 ]; then cp "$csv" "$figures"; fi
done
ls -l "$figures"
