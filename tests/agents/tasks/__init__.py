"""Strategies by kind of task. A module registers its own with `for_tasks`."""

STRATEGIES = {}


def for_tasks(*names):
    """Registers a strategy for tasks of these names."""

    def register(strategy):
        for name in names:
            STRATEGIES[name] = strategy
        return strategy

    return register


def solve(agent, task):
    STRATEGIES[task.name](agent, task)


def submit(agent, tree, label="Submit"):
    """Clicks the button that sends a form."""
    return agent.click(tree.find("button", label) or tree.find("generic", label))


from . import clicking, drawing, filling, mail, dragging, reading, widgets  # noqa: E402,F401
