"""A task with the settings of a training."""

from npformer.runs.settings import TrainingSettings
from npformer.tasks import TASKS


class WithSettings:
    def __init__(self, task, **settings):
        self.task, self.settings = TASKS[task], TrainingSettings(**settings)

    def vocabularies(self, examples, model):
        return self.task.build_vocabularies(examples, self.settings, model)

    def batches(self, examples, vocabularies, config, **how):
        return self.task.make_batches(examples, vocabularies, config, self.settings, **how)
