"""Tasks about figures: shapes of SVG, read by their attributes, and places in them."""

import base64
import math
import re
import struct
import time
import zlib

from agent import CallFailed
from . import for_tasks, submit


def middle(box):
    x, y, width, height = box
    return x + width / 2, y + height / 2


@for_tasks("circle-center")
def centre(agent, task):
    submit(agent, agent.click_at(*middle(agent.box("svg circle"))))


@for_tasks("find-midpoint")
def midpoint(agent, task):
    ends = [middle(agent.box(f"svg circle:nth-of-type({nth})")) for nth in (1, 2)]
    submit(agent, agent.click_at(*(sum(axis) / 2 for axis in zip(*ends))))


@for_tasks("bisect-angle")
def bisect(agent, task):
    vertex = middle(agent.box("svg circle.init-blue"))
    arms = [middle(agent.box(f"svg circle.init-black:nth-of-type({nth})")) for nth in (2, 3)]
    submit(agent, agent.click_at(*towards(vertex, arms, 30)))


def towards(vertex, points, most):
    """A point from the vertex along the sum of the unit vectors to the points."""
    units = []
    for x, y in points:
        dx, dy = x - vertex[0], y - vertex[1]
        length = (dx * dx + dy * dy) ** 0.5
        units.append((dx / length, dy / length))
    dx, dy = (sum(axis) for axis in zip(*units))
    length = (dx * dx + dy * dy) ** 0.5
    return vertex[0] + dx / length * most, vertex[1] + dy / length * most


@for_tasks("right-angle")
def right_angle(agent, task):
    arm, vertex = middle(agent.box("#init-black")), middle(agent.box("#init-blue"))
    dx, dy = arm[0] - vertex[0], arm[1] - vertex[1]
    length = (dx * dx + dy * dy) ** 0.5
    for sign in (1, -1):
        x, y = vertex[0] - sign * dy / length * 30, vertex[1] + sign * dx / length * 30
        if 5 < x < 140 and 55 < y < 170:
            break
    submit(agent, agent.click_at(x, y))


@for_tasks("grid-coordinate")
def grid(agent, task):
    agent.tap(f"circle[id='({task.fields['x']},{task.fields['y']})']")


SIZES = {"large": 1, "small": 0}


def figures(agent, css):
    """Kind, colour, size and box of each figure in a grid."""
    found = []
    for nth, item in enumerate(agent.items(f"{css} > *", fill="fill", style="style", r="r", points="points",
                                            width="width",
                                           font="font-size")):
        colour = item.get("fill") or re.search(r"fill: ?(\w+)", item.get("style") or "")[1]
        if item.get("points"):
            xs = [float(pair.split(",")[0]) for pair in item["points"].split()]
            found.append(("shape", "triangle", colour, max(xs) - min(xs) > 12, nth))
        elif item.get("r"):
            found.append(("shape", "circle", colour, float(item["r"]) > 6, nth))
        elif item.get("width"):
            found.append(("shape", "rectangle", colour, float(item["width"]) > 12, nth))
        else:
            found.append(("text", None, colour, float(re.sub("[a-z]", "", item.get("font") or "10")) > 12, nth))
    return found


def matching(agent, task, css):
    found = []
    for kind, name, colour, large, nth in figures(agent, css):
        if kind == "text":
            wanted = {"kind": "json", "map": {"t": f"{css} > :nth-child({nth + 1})"}}
            name = agent.call("extract", extract=wanted)["data"]["t"]
            kind = "digit" if str(name).isdigit() else "letter"
        want = task.fields
        if want.get("color", colour) != colour or ("size" in want and (want["size"] == "large") != large):
            continue
        if want.get("type", "item") not in ("item", kind) or ("target" in want and str(want["target"]) != str(name)):
            continue
        found.append(nth)
    return found


@for_tasks("click-shape")
def click_shape(agent, task):
    nth = matching(agent, task, "#area_svg")[0]
    agent.tap(f"#area_svg > :nth-child({nth + 1})")


@for_tasks("count-shape")
def count_shapes(agent, task):
    submit(agent, task.tree, str(len(matching(agent, task, "svg"))))


@for_tasks("identify-shape")
def identify(agent, task):
    kind, name, _, _, _ = figures(agent, "svg")[0]
    if kind == "text":
        shown = agent.call("extract", extract={"kind": "json", "map": {"t": "svg > :nth-child(1)"}})["data"]["t"]
        name = "Number" if str(shown).isdigit() else "Letter"
    submit(agent, task.tree, name)


@for_tasks("click-shades")
def shades(agent, task):
    nth = {"red": 0, "green": 1, "blue": 2}[task.fields["target"]]
    for index, item in enumerate(agent.items("#area > span", style="style", shade="data-color")):
        colour = item.get("shade") or re.search(r"background-color: ?([^;]+)", item["style"])[1]
        if colour == task.fields["target"] or strongest(colour) == nth:
            agent.tap(f"#area > span:nth-of-type({index + 1})")
    submit(agent, task.tree)


def strongest(colour):
    if colour.startswith("#"):
        parts = [int(colour[1 + 2 * i:3 + 2 * i], 16) for i in range(3)]
    else:
        parts = [float(part) for part in re.findall(r"[\d.]+", colour)[:3]]
    return parts.index(max(parts)) if parts else -1


@for_tasks("visual-addition")
def add_blocks(agent, task):
    blocks = len(agent.items("#math-problem .addition-block", style="class"))
    submit(agent, agent.type(task.tree.find("textbox"), str(blocks)))


@for_tasks("hot-cold")
def find_the_hot_place(agent, task):
    def signal(x, y):
        agent.call("hover", at={"x": x, "y": y})
        return agent.look_at_all().text.rpartition("text: ")[2].strip()

    heat_of = lambda distance: 3 if distance < 5 else 2 if distance < 10 else 1 if distance < 40 else 0
    places = [(x, y) for x in range(5, 156, 2) for y in range(55, 171, 2)]
    x, y = 80, 112
    for _ in range(30):
        heat = ("ICE COLD", "COLD", "WARM", "HOT").index(signal(x, y))
        if heat == 3:
            agent.click_at(x, y)
            return
        places = [place for place in places if heat_of(math.dist(place, (x, y))) == heat] or places
        # The place that splits those left most evenly.
        x, y = min(places[::max(1, len(places) // 60)], key=lambda place: worst(places[::7] or places, place, heat_of))


def worst(places, asked, heat_of):
    """How many places may be left after the answer to this one."""
    heats = [heat_of(math.dist(place, asked)) for place in places]
    return max(heats.count(heat) for heat in range(3))


@for_tasks("draw-line")
def line(agent, task):
    x, y = middle(agent.box("#circ"))
    if task.fields["direction"] == "horizontal":
        agent.drag((x - 25, y), (x + 25, y))
    else:
        agent.drag((x, y - 25), (x, y + 25))
    submit(agent, agent.look())


@for_tasks("count-sides")
def count_sides(agent, task):
    rows = pixels(agent.call("screenshot", target={"by": "css", "value": "#c"}, format="png")["image_base64"])
    height, width = len(rows), len(rows[0])
    nearest = min(((x - width / 2) ** 2 + (y - height / 2) ** 2) ** 0.5
                  for y, row in enumerate(rows) for x, grey in enumerate(row) if grey < 100)
    scale = width / 150
    sides = min(range(3, 8), key=lambda sides: abs(35 * math.cos(math.pi / sides) - 1 - nearest / scale))
    submit(agent, task.tree, str(sides))


def pixels(picture):
    """Rows of brightness of a PNG."""
    data, offset, packed = base64.b64decode(picture), 8, b""
    while offset < len(data):
        length, kind = struct.unpack(">I4s", data[offset:offset + 8])
        body = data[offset + 8:offset + 8 + length]
        if kind == b"IHDR":
            width, height, _, colour = struct.unpack(">IIBB", body[:10])
        elif kind == b"IDAT":
            packed += body
        offset += 12 + length
    depth = {0: 1, 2: 3, 6: 4}[colour]
    flat, stride, before, rows = zlib.decompress(packed), width * depth, bytes(width * depth), []
    for y in range(height):
        kind, line = flat[y * (stride + 1)], bytearray(flat[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for x in range(stride):
            left = line[x - depth] if x >= depth else 0
            corner = before[x - depth] if x >= depth else 0
            guess = left + before[x] - corner
            paeth = min((left, before[x], corner), key=lambda value: abs(guess - value))
            line[x] = (line[x] + (0, left, before[x], (left + before[x]) // 2, paeth)[kind]) & 255
        rows.append([line[x] for x in range(0, stride, depth)])
        before = bytes(line)
    return rows


@for_tasks("chase-circle")
def chase(agent, task):
    deadline = time.monotonic() + 12
    while time.monotonic() < deadline:
        try:
            x, y = middle(agent.box("#circ"))
            agent.call("hover", at={"x": x, "y": y})
        except CallFailed:
            return


@for_tasks("hover-shape")
def hover(agent, task):
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        x, y = middle(agent.box("#highlight"))
        agent.call("hover", at={"x": x, "y": y})


@for_tasks("moving-items")
def catch(agent, task):
    deadline = time.monotonic() + 14
    while time.monotonic() < deadline:
        for nth, item in enumerate(agent.items("svg .item", x="cx", y="cy"), 1):
            if 15 < float(item["x"]) < 145 and 5 < float(item["y"]) < 150:
                agent.call("click", at={"x": float(item["x"]) + 2, "y": float(item["y"]) + 52})
                break


@for_tasks("draw-circle")
def circle(agent, task):
    raise NotImplementedError("needs a hand that moves along a curve")
