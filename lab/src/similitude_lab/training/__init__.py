"""Training that several papers use.

`similitude_lab.training.tuning` fine-tunes encoders with relative layers. It needs
torch. `ClassBatches` has batches for topological densification, one cloud per class.
"""

from ._class_batches import ClassBatch as ClassBatch
from ._class_batches import ClassBatches as ClassBatches
from ._class_batches import cyclic_ramp as cyclic_ramp
