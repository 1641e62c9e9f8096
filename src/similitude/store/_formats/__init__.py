"""Readers of single files, one module per format. Nothing is unpickled."""

from ._content import Content as Content
from ._content import chosen_name as chosen_name
from ._csv import read_csv as read_csv
from ._hdf5 import read_hdf5 as read_hdf5
from ._limits import ReadLimits as ReadLimits
from ._npy import NpyFile as NpyFile
from ._npy import read_npy as read_npy
from ._safetensors import read_safetensors as read_safetensors
from ._tables import dataset_files as dataset_files
from ._tables import is_dataset as is_dataset
from ._tables import read_table as read_table
from ._tensors import read_pt as read_pt
from ._zip import read_npz as read_npz
