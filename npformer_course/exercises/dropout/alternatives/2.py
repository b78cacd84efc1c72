class Dropout(Dropout):
    def forward(self, x):
        self.places = list(range(x.size))
        self.scale = 1
        if self.training:
            numbers = self.rng.random(x.shape).reshape(-1)
            self.places = [i for i in range(x.size) if numbers[i] >= self.p]
            self.scale = 1 / (1 - self.p)
        return self.spread(x)

    def backward(self, dy):
        return self.spread(dy)

    def spread(self, x):
        y = np.zeros(x.size)
        y[self.places] = self.scale * x.reshape(-1)[self.places]
        return y.reshape(x.shape)
