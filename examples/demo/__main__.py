"""make demo: how similar are the layers of six networks trained on digits?"""

import argparse

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--epochs", type=int, default=25)
epochs = parser.parse_args().epochs
print(
    "How similar are the layers of six small networks trained on digits?\n"
    "Two architectures (mlp, cnn), three seeds each, and their untrained twins.\n"
    "This takes about a minute. Loading torch and scikit-learn ...",
    flush=True,
)

from demo import main  # noqa: E402  # the text above appears before the slow imports

main(epochs)
