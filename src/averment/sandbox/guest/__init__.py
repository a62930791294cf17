"""What runs inside the jail: the warm interpreter, its children and the fences they put around themselves.

This package is handed to a bare interpreter under the name ``guest``, without the rest of Averment and before any
third-party package is imported. It therefore imports the standard library and itself (relatively) alone, and no
compiled code of ours: the kernel is reached by ctypes.
"""
