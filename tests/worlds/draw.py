"""draw.py - what all parts of a random world draw with."""


def flow(value):
    """YAML in flow style."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k}: {flow(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(flow(v) for v in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


class Draw:
    """`r` is the stream of the seed; `policy` the name of the policy that will run."""

    def chance(self, p):
        return self.r.random() < p

    def pick(self, *of):
        return self.r.choice(of)

    def some(self, choices, p=0.4):
        """Each of `choices` (key: values) with probability p, at one of its values."""
        return {k: self.r.choice(v) for k, v in choices.items() if self.chance(p)}

    def chance_for(self, policies, p, other):
        """p if the run's policy is one of these: it reads what is drawn; else `other`."""
        return self.chance(p if self.policy in policies else other)
