"""How similar are two pretrained encoders of images on 2,000 images of CIFAR-10?

Fetch the images and the weights first, once:

    similitude data fetch cifar10 mobilenet_v2 thin_resnet50

MobileNetV2 classifies 1,000 kinds of objects (PyTorch; its network is in mobilenet.py).
The narrow ResNet-50 is a filter for images (ONNX); its layer before the classifier is
used. Each has the preprocessing of its authors. The run takes about four minutes.
"""

import argparse
import os
from pathlib import Path

from steps import report, run

import similitude as sim

NETWORK = os.path.relpath(Path(__file__).with_name("mobilenet.py"))
MOBILENET = (
    "--resize 224 --mean 0.485,0.456,0.406 --std 0.229,0.224,0.225 "
    "--layers '' --batch-size 50"
)
RESNET = (
    "--resize 224 --bgr --scale 1 --mean 104,117,123 --layout nhwc "
    "--layers Reshape --batch-size 50"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default="0:2000", help="images of the test set")
    parser.add_argument("--out", type=Path, default=Path("encoders"))
    options = parser.parse_args()
    store, results = options.out / "images", options.out / "images-results"
    data = f"--data cifar10:test --rows {options.rows} -o {store}"
    run(
        f"extract {NETWORK}:mobilenet_v2 "
        f"--weights encoder:mobilenet_v2 {data} {MOBILENET}"
    )
    run(f"extract encoder:thin_resnet50 {data} {RESNET}")
    run(f"compare {store} -o {results}")
    report(store, results, sim.networks.data.load_dataset("cifar10", split="test"))


if __name__ == "__main__":
    main()
