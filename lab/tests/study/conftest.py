"""The browser of the tests of reports."""

from report.conftest import browser as browser
from report.conftest import open_page as open_page
