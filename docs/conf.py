"""How Sphinx makes the documentation: ``make docs``. Pages need no network, here or when read."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from conlinucb import __version__

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]  # generate; benchmarks

project = "conlinucb"
author = "the conlinucb developers"
copyright = "the conlinucb developers"
release = version = __version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx_design",
    "numpydoc",
]
source_suffix = {".rst": "restructuredtext", ".md": "myst-nb", ".ipynb": "myst-nb"}
exclude_patterns = ["_build", "**/.ipynb_checkpoints"]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
suppress_warnings = [
    "myst.xref_missing",  # links into the repository: tests/docs/test_links.py checks every one
    "myst.header",  # a results page may begin a part where a report does
]

nb_execution_mode = "cache"
nb_execution_cache_path = str(HERE / "_build" / "notebooks")
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_merge_streams = True

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True
numpydoc_show_class_members = False
add_module_names = False

html_theme = "pydata_sphinx_theme"
html_title = f"conlinucb {release}"
html_favicon = "../src/conlinucb/service/http/static/icon.svg"
html_context = {"default_mode": "auto"}
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options: dict[str, Any] = {
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "show_prev_next": True,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


def setup(app: Any) -> None:
    """Write the pages that come from the code before any page is read."""
    from generate import make_all  # beside this file
    from generate.examples import add_example
    from generate.gallery import with_pictures
    from generate.parameters import add_section

    app.connect("builder-inited", lambda _: make_all(HERE))
    app.connect("doctree-resolved", with_pictures)
    app.connect("autodoc-process-docstring", add_section, priority=400)  # before numpydoc
    app.connect("autodoc-process-docstring", add_example, priority=401)
