"""Degree 0: minimum spanning trees and death times."""

from ._death_times import *
from ._spanning_trees import *
