"""The tools a model may call, one file each. Discovery is the directory: see ``registry``."""
