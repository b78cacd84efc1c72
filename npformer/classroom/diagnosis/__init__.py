"""Why an answer is wrong: guards, named mistakes, facts, ablation, then the numbers. What is not true is not said."""
