"""What IPython runs before the first cell in the browser; the page's settings name it."""

import logging

# Matplotlib says so on every page, because the list of fonts that comes with Pyodide is too new
logging.getLogger("matplotlib.font_manager").addFilter(
    lambda record: "building the font cache" not in record.msg
)
del logging  # cells share their names with this file
