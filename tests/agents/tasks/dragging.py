"""Tasks that are done by dragging."""

import re

from . import for_tasks, submit
from .drawing import middle


@for_tasks("drag-box")
def box_into_box(agent, task):
    small, large = agent.box("#draggableSmall"), agent.box("#draggableLarge")
    agent.drag(middle(small), middle(large))
    submit(agent, agent.look())


MOVES = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}


@for_tasks("drag-circle", "drag-single-shape")
def a_way_off(agent, task):
    x, y = middle(agent.box("svg circle, svg rect, svg polygon, #area_svg > *"))
    dx, dy = MOVES[re.search("left|right|up|down", task.fields["target"])[0]]
    agent.drag((x, y), (x + 45 * dx, y + 45 * dy))
    submit(agent, agent.look())


@for_tasks("drag-sort-numbers")
def sort(agent, task):
    for _ in range(8):
        items = agent.look_at_all(boxes=True).all("listitem")
        numbers = [int(item.value) for item in items]
        wanted = sorted(numbers)
        nth = next((nth for nth, number in enumerate(numbers) if number != wanted[nth]), None)
        if nth is None:
            break
        lift = items[numbers.index(wanted[nth])]
        x, y, width, height = items[nth].box
        agent.drag(lift.middle, (x + width / 2, y + height / 2 - 4))
    submit(agent, agent.look())


@for_tasks("drag-items")
def move_item(agent, task):
    name, place = re.match(r"(.*) (?:to the|one position|up|down)", task.fields["target"])[1], task.fields["target"]
    name = task.fields["target"].split()[0]
    items = agent.look_at_all(boxes=True).all("listitem")
    here = next(nth for nth, item in enumerate(items) if item.value == name)
    if number := re.search(r"(\d)(?:st|nd|rd|th)", place):
        there = int(number[1]) - 1
    else:
        there = here + (-1 if re.search("up|higher", place) else 1)
    x, y = items[there].middle
    agent.drag(items[here].middle, (x, y + (4 if there > here else -4)))


@for_tasks("drag-items-grid")
def move_in_grid(agent, task):
    words = task.fields["target"]
    items = agent.look_at_all(boxes=True).all("listitem")
    here = next(nth for nth, item in enumerate(items) if item.value == words.split()[0])
    if re.search(r"\b(top|bottom|center|middle)\b|(?:to the) (left|right)", words) and "by" not in words.split():
        row = 0 if "top" in words else 2 if "bottom" in words else 1
        column = 0 if "left" in words else 2 if "right" in words else 1
        there = 3 * row + column
    else:
        dx, dy = MOVES[re.search("left|right|up|down", words)[0]]
        there = here + dx + 3 * dy
    x, y = items[there].middle
    agent.drag(items[here].middle, (x + (4 if there > here else -4), y))


@for_tasks("drag-shapes", "drag-shapes-2")
def shapes_into_boxes(agent, task):
    raise NotImplementedError


@for_tasks("drag-cube", "resize-textarea", "daily-calendar", "highlight-text", "highlight-text-2")
def later(agent, task):
    raise NotImplementedError
