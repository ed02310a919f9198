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
    place = task.fields["target"]
    name = place.split()[0]
    items = agent.look_at_all(boxes=True).all("listitem")
    here = next(nth for nth, item in enumerate(items) if item.value == name)
    if number := re.search(r"(\d)(?:st|nd|rd|th)", place):
        there = int(number[1]) - 1
    elif re.search("top|bottom", place):
        there = 0 if "top" in place else len(items) - 1
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
    words = task.fields["target"]
    shown = agent.items("#area_svg > *", r="r", width="width", points="points", colour="fill", id="id")
    boxes = [nth for nth, item in enumerate(shown) if item["id"] == "shape-container"]
    filled = {box: 0 for box in boxes}
    for nth, item in enumerate(shown):
        if nth in boxes:
            continue
        kind = "circle" if item["r"] else "triangle" if item["points"] else "rectangle"
        wanted = kind in words or item["colour"] in words.split()
        if not wanted and len(boxes) == 1:
            continue
        box = boxes[0] if wanted else boxes[1]
        x, y, width, height = agent.box(f"#area_svg > :nth-child({box + 1})")
        column = filled[box] % 3
        place = (x + 14 + column * (width - 28) / 2, y + 14 + filled[box] // 3 * (height - 28))
        filled[box] += 1
        agent.drag(f"#area_svg > :nth-child({nth + 1})", place)
    agent.tap("#subbtn")


@for_tasks("resize-textarea")
def resize(agent, task):
    words = task.fields["target"]
    x, y = middle(agent.box(".ui-resizable-se"))
    by = 12 if "larger" in words else -12
    agent.drag(".ui-resizable-se", (x + by, y) if "width" in words else (x, y + by))
    agent.tap("#submit")


@for_tasks("highlight-text", "highlight-text-2")
def highlight(agent, task):
    nth = int(task.fields.get("target", 1))
    css = "#randomText" if task.name == "highlight-text" else f"#area p:nth-of-type({nth})"
    agent.tap(css, click_count=3)
    agent.tap("#subbtn")


@for_tasks("daily-calendar")
def make_event(agent, task):
    fields = task.fields
    halves = {"30 mins": 1, "60 mins": 2, "90 mins": 3, "0.5 hours": 1, "1 hour": 2, "1.5 hours": 3}[fields["length"]]
    start = {"8AM": 16, "12PM": 24, "4PM": 32}[fields["between from"]]
    taken = [agent.box(f"#randomEvent{nth}") for nth in range(3)]
    for first in range(start, start + 9 - halves):
        last = first + halves - 1
        top, bottom = agent.box(f"#hh-{first}")[1], sum(agent.box(f"#hh-{last}")[1::2])
        if any(y < bottom + 4 and top < y + height + 4 for _, y, _, height in taken):
            continue
        agent.act("scroll", target={"by": "css", "value": f"#hh-{last}"})
        agent.drag(f"#hh-{first}", f"#hh-{last}" if last > first else offset(agent, first))
        tree = agent.look()
        field = tree.find("textbox")
        if not field:
            continue
        agent.type(field, fields["name"])
        agent.tap("#controls .create")
        return


def offset(agent, half):
    x, y = middle(agent.box(f"#hh-{half}"))
    return x + 12, y


@for_tasks("drag-cube")
def turn_cube(agent, task):
    for dx, dy in [(0, 0)] + [(60, 0)] * 4 + [(0, 60)] * 4:
        if dx or dy:
            x, y = middle(agent.box(".viewport"))
            agent.drag(".viewport", (x + dx, y + dy))
        if agent.extract("selector: .cube-image.active").strip() == task.fields["target"]:
            break
    agent.tap("#subbtn")
