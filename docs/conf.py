"""Settings of the site: python -m sphinx -b html -W docs site."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

project = "npformer"
author = copyright = "The npformer authors"
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "mathematics",
    "site_pages",
    "page_buttons",  # after site_pages, which takes docstrings for Markdown
    # of the finished pages
    "accessible_pages",
    "page_heads",
    "site_search",
]
exclude_patterns = ["README.md", "pypi.md"]  # for a repository host, and for a package index

nb_execution_mode = "off"  # the committed outputs are shown
nb_merge_streams = True
myst_enable_extensions = ["dollarmath", "amsmath", "html_image"]
myst_heading_anchors = 3
html_math_renderer = "mathml"

autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
maximum_signature_line_length = 100
add_module_names = False
toc_object_entries_show_parents = "hide"

# a button for code to type, not for what it prints
copybutton_selector = (
    ":is(.cell_input, .highlight-console, .highlight-python, .highlight-pycon) pre"
)
copybutton_prompt_text = r"\$ |>>> |\.\.\. ?"
copybutton_prompt_is_regexp = True
copybutton_line_continuation_character = "\\"

html_theme = "furo"
pygments_dark_style = "github-dark"
highlight_language = "text"  # of blocks that name none
html_title = "npformer"
html_baseurl = os.environ.get("SITE_URL", "")
repository = os.environ.get("REPOSITORY_URL", "")  # the site works without it, too
if repository:
    link = {"name": "Repository", "url": repository, "html": "Repository", "class": ""}
    html_theme_options = {"footer_icons": [link]}
html_favicon = "_static/favicon.svg"
html_static_path = ["_static"]
html_css_files = ["site.css", "front_page.css"]
html_js_files = ["site.js"]
templates_path = ["_templates"]
html_additional_pages = {"search": "search.html"}
html_copy_source = False
html_use_index = False  # there is the search
html_sidebars = {
    "_modules/**": ["sidebar/brand.html", "sidebar/search.html"]
}  # no list of all pages
