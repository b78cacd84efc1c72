"""The course in the browser, by JupyterLite and Pyodide, without any installation."""
