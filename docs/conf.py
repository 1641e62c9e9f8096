"""Sphinx configuration of the documentation site; `make docs` builds it offline."""

import os
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_extensions"))

import similitude  # noqa: E402

os.environ["SIMILITUDE_PROGRESS"] = "off"  # progress bars are not output of examples
warnings.filterwarnings("error", category=DeprecationWarning, module="similitude")

project = "similitude"
version = release = similitude.__version__
copyright = "the authors of similitude, MIT license"

extensions = [
    "sphinx.ext.autodoc",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "sphinx-mathjax-offline",
    "generated_pages",
    "docstring_text",
    "block_languages",
    "measure_links",
]
exclude_patterns = ["_build", "_extensions", "**/GALLERY_HEADER.rst"]
templates_path: list[str] = []
nitpicky = False
suppress_warnings = [
    "config.cache",  # the options of the gallery contain a function
]

default_role = "py:obj"
add_module_names = False
autodoc_typehints = "none"  # the sections Parameters describe the types
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

myst_enable_extensions = ["dollarmath", "amsmath", "attrs_block"]
myst_heading_anchors = 3
myst_dmath_double_inline = True

html_sidebars = {
    name: []
    for name in ("index", "tutorial", "from_disk", "report_these", "which_measure")
}
html_theme = "pydata_sphinx_theme"
html_title = "similitude"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = [("which_measure.js", {"defer": "defer"})]
html_copy_source = False
html_show_sourcelink = False
html_context = {"default_mode": "auto"}
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 5,
    "show_prev_next": True,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "navigation_with_keys": False,
    "back_to_top_button": True,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}

sphinx_gallery_conf = {
    "examples_dirs": [str(HERE.parent / "examples" / "gallery")],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_signature": False,
    "capture_repr": (),
    "remove_config_comments": True,
    "min_reported_time": 1e9,  # seconds of this machine are not part of the page
    "write_computation_times": False,
    "image_scrapers": ("matplotlib",),
    "matplotlib_animations": False,
    "thumbnail_size": (400, 280),
    "promote_jupyter_magic": False,
}
