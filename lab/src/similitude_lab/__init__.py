"""Experiments of papers, repeated with similitude: one folder per paper.

`study` describes and runs experiments. `closeness`, `challenges`, `measures`,
`relative` and `rtd` are papers; `networks` and `training` are shared between them. In a
shell: ``similitude study list``.
"""

__version__ = "0.1.0"
