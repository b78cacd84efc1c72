"""In place of portalocker, which sacreBLEU imports to lock files that it downloads: browsers
cannot lock a file.
"""
