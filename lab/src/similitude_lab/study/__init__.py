"""Experiments of papers: run them into tables, which `similitude_lab.judging` judges.

>>> from similitude_lab.study import find_study
>>> find_study("rtd/clusters").where
'figures 2-4, 11'

A study is one module with a function that computes the numbers, and one section of the
file studies.toml of its paper.
"""

from ._catalog import STUDIES as STUDIES
from ._catalog import described as described
from ._catalog import find_study as find_study
from ._intervals import MeanInterval as MeanInterval
from ._intervals import correlation as correlation
from ._intervals import limit_values as limit_values
from ._intervals import mean_interval as mean_interval
from ._intervals import paired_interval as paired_interval
from ._parts import Parts as Parts
from ._plan import plan_text as plan_text
from ._plan import shared_trainings as shared_trainings
from ._record import StudyRecord as StudyRecord
from ._record import read_records as read_records
from ._run import run_study as run_study
from ._study import Axes as Axes
from ._study import Config as Config
from ._study import Figure as Figure
from ._study import Figures as Figures
from ._study import Scale as Scale
from ._study import Study as Study
from ._study import StudyResult as StudyResult
from ._study import Table as Table
from ._study import scales as scales
from ._tables import Frame as Frame
from ._tables import cells as cells
from ._tables import short as short
from ._tables import table_of as table_of
