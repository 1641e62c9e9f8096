"""Readers of single files, one module per format. Nothing is unpickled."""

from ._content import Content, chosen_name
from ._csv import read_csv
from ._hdf5 import read_hdf5
from ._limits import ReadLimits
from ._npy import NpyFile, read_npy
from ._safetensors import read_safetensors
from ._tables import count_rows, dataset_files, is_dataset, read_table
from ._tensors import read_pt
from ._zip import read_npz
