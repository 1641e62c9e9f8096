"""Readers of single files, one module per format. Nothing is unpickled."""

from ._content import Content as Content
from ._csv import read_csv as read_csv
from ._limits import ReadLimits as ReadLimits
from ._npy import NpyFile as NpyFile
from ._npy import read_npy as read_npy
from ._parquet import read_parquet as read_parquet
from ._safetensors import read_safetensors as read_safetensors
from ._tensors import read_pt as read_pt
from ._zip import read_npz as read_npz
