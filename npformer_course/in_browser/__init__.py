"""The course in the browser: notebooks and exercises by JupyterLite and Pyodide, without any installation."""
