class Dropout(Dropout):
    def forward(self, x):
        self.places, self.scale = list(range(x.size)), 1
        if self.training:
            self.places = [i for i, u in enumerate(self.rng.random(x.shape).flat) if u >= self.p]
            self.scale = 1 / (1 - self.p)
        return self.spread(x)

    def backward(self, dy):
        return self.spread(dy)

    def spread(self, x):
        y = np.zeros(x.size)
        y[self.places] = self.scale * x.reshape(-1)[self.places]
        return y.reshape(x.shape)
