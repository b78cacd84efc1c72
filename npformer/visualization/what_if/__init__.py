from .comparison import Comparison, Difference, compare_steps
