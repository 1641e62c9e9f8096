"""Claims of papers, judged from tables.

A claim holds, differs, is not decided or is untestable here. Its outcome is computed
whenever a page is made, and is stored nowhere.
"""

from ._catalog import PAPERS as PAPERS
from ._catalog import all_claims as all_claims
from ._catalog import read_paper as read_paper
from ._catalog import tables_of as tables_of
from ._controls import CONTROLS as CONTROLS
from ._judge import Tables as Tables
from ._judge import Verdict as Verdict
from ._judge import judge as judge
from ._pages import claim_pages as claim_pages
from ._pages import judge_all as judge_all
from ._pages import outcome_text as outcome_text
from ._pages import own_text as own_text
from ._run_lines import claims_of as claims_of
from ._run_lines import run_lines as run_lines
from ._statistics import STATISTICS as STATISTICS
