class Dropout:
    def __init__(self, p, rng):
        self.p = p
        self.rng = rng
        self.training = True

    def forward(self, x):
        if self.training:
            scale = (self.rng.random(x.shape) >= self.p) * (1 / (1 - self.p))
            self.back = lambda dy: scale * dy
            y = x.copy()
            y *= scale
            return y
        self.back = lambda dy: dy
        return x

    def backward(self, dy):
        return self.back(dy)
