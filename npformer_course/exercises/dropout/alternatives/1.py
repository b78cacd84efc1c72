class Dropout(Dropout):
    def forward(self, x):
        self.dropped = None
        if not self.training:
            return x
        self.dropped = self.rng.random(x.shape) < self.p
        return np.where(self.dropped, 0, x / (1 - self.p))

    def backward(self, dy):
        if self.dropped is None:
            return dy
        return np.where(self.dropped, 0, dy / (1 - self.p))
