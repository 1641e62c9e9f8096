#!/bin/sh
# Train all models of the study of closeness in distribution.
#
#   sh train.sh widths|norms|images FOLDER
#
# To resume after an interruption, run the same command again. Each command uses one
# thread; "widths", "norms" and "images" can run at the same time.
set -eu
part=$1
folder=$2
here=$(cd "$(dirname "$0")" && pwd)

radial() { # classes, width, seeds, norms of f, norms of g
  case $1 in 4 | 18) date=2025-04-22 ;; *) date=2024-12-06 ;; esac
  similitude closeness train \
    --dataset-config "configs/radial_classification_20000_0_cls$1.json" \
    --model-var-config "configs/model_variations_config_$1_classes.json" \
    --train-config configs/radial_classification_0_128_ADAM_0_0001.json \
    --output-folder "$folder/checkpoints" --date-str "$date" \
    --widths "$2" --seeds "$3" --fix-length-f "$4" --fix-length-g "$5" \
    --batched-seeds --threads 1
}

case $part in
widths)
  for width in 16 32 64 128; do
    for classes in 4 6 10 18; do radial "$classes" "$width" 0-19 0 0; done
  done
  for classes in 4 6 10 18; do radial "$classes" 256 0-4 0 0; done
  ;;
norms)
  for width in 16 32 64; do
    for classes in 4 6; do # free norms (0, 0) are a part of "widths"
      radial "$classes" "$width" 0-4 0 20
      radial "$classes" "$width" 0-4 20 0,20
    done
  done
  ;;
images)
  for dim in 2 3 5; do
    similitude closeness train \
      --dataset-config configs/cifar10_0_cls10.json \
      --model-var-config "$here/small_cifar10_fd$dim.toml" \
      --train-config configs/cifar10_0_32_ADAM_0_0001_20000steps.json \
      --output-folder "$folder/checkpoints" --date-str 2025-04-22 --threads 1
  done
  ;;
*)
  echo "unknown part: $part" >&2
  exit 2
  ;;
esac
