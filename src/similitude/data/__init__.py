"""Data sets and pretrained encoders. One import line per file."""

from ._dataset import *
from ._fetch import *
from ._load import *
