"""Tasks with the widgets of jQuery UI and others."""

import re

from . import for_tasks, submit

MONTHS = "January February March April May June July August September October November December".split()


def pick_date(agent, field, month, day, year):
    tree = agent.click(field)
    for _ in range(40):
        shown = re.search(r"(%s)\s(\d{4})" % "|".join(MONTHS), agent.extract("selector: .ui-datepicker-title"))
        behind = (int(year) * 12 + int(month)) - (int(shown[2]) * 12 + MONTHS.index(shown[1]) + 1)
        if not behind:
            break
        tree = agent.tap(".ui-datepicker-next" if behind > 0 else ".ui-datepicker-prev")
    tree = agent.look()
    return agent.click(tree.find("link", str(int(day))))


@for_tasks("choose-date", "choose-date-easy", "choose-date-medium", "choose-date-nodelay")
def choose_date(agent, task):
    field = task.tree.find("textbox")
    submit(agent, pick_date(agent, field, task.fields["month"], task.fields["day"], task.fields["year"]))


@for_tasks("book-flight", "book-flight-nodelay")
def book(agent, task):
    tree = task.tree
    for label, key in (("From:", "from"), ("To:", "to")):
        city = task.fields[key]
        tree = agent.type(tree.find("textbox", label), city)
        agent.call("wait", ms=500)
        tree = agent.look()
        options = [line for line in tree.lines if line.ref and city.casefold() in line.label.casefold()
                   and line.role not in ("textbox", "heading")]
        code = [line for line in options if f"({city})" in line.label or line.label.startswith(city + " (")]
        tree = agent.click((code or options)[0])
    month, day, year = task.fields["date"].split("/")
    tree = pick_date(agent, tree.find("textbox", nth=2), month, day, year)
    agent.click(tree.find("button", "Search"))
    flights = agent.call("extract", extract={"kind": "json", "map": {"items": [
        ".flight", {"minutes": ".time-duration@data-duration", "price": ".flight-price@data-price"}]}})["data"]["items"]
    key = "minutes" if task.fields["criterion"] == "shortest" else "price"
    best = min(range(len(flights)), key=lambda nth: int(flights[nth][key]))
    agent.act("click", target={"by": "xpath", "value": f"(//*[contains(@class,'flight-price')])[{best + 1}]"})


def slide(agent, css, value):
    """Moves a slider's handle by keys until the number beside it is the one wanted."""
    def shown():
        return int(re.search(r"-?\d+", agent.extract(f"selector: {css[1]}"))[0])

    agent.tap(css[0])
    for _ in range(60):
        off = int(value) - shown()
        if not off:
            return
        for _ in range(min(abs(off), 30)):
            agent.call("press", key="ArrowRight" if off > 0 else "ArrowLeft")


@for_tasks("use-slider")
def slider(agent, task):
    slide(agent, (".ui-slider-handle", "#val"), task.fields["target"])
    submit(agent, agent.look())


@for_tasks("use-slider-2")
def sliders(agent, task):
    for nth in (1, 2, 3):
        slide(agent, (f"#slider-{nth} .ui-slider-handle", f"#val-{nth}"), task.fields[f"n{nth}"])
    submit(agent, agent.look())


@for_tasks("form-sequence")
def slider_and_checkbox(agent, task):
    slide(agent, (".ui-slider-handle", "#val"), task.fields["slider target"])
    tree = agent.look()
    box = tree.find("checkbox", nth=int(task.fields["checkbox target"]) - 1)
    submit(agent, agent.act("check", ref=box.ref))


@for_tasks("use-spinner")
def spin(agent, task):
    submit(agent, agent.type(task.tree.find("spinbutton"), task.fields["target"]))


@for_tasks("use-autocomplete", "use-autocomplete-nodelay")
def complete(agent, task):
    start, end = task.fields["start"], task.fields.get("end", "")
    tree = agent.type(task.tree.find("textbox"), start, slowly=True)
    agent.call("wait", ms=600)
    tree = agent.look()
    found = next(line for line in tree.lines if line.ref and line.role != "textbox"
                 and line.label.startswith(start) and line.label.endswith(end))
    submit(agent, agent.click(found))


COLOURS = {"red": "FF0000", "navy": "000080", "purple": "800080", "blue": "0000FF", "aqua": "00FFFF", "lime": "00FF00",
           "olive": "808000", "black": "000000", "white": "FFFFFF", "grey": "808080", "gray": "808080",
            "orange": "FFA500",
           "yellow": "FFFF00", "cyan": "00FFFF", "pink": "FFC0CB", "magenta": "FF00FF", "green": "008000",
           "maroon": "800000", "teal": "008080", "silver": "C0C0C0", "fuchsia": "FF00FF", "brown": "A52A2A",
           "violet": "EE82EE", "indigo": "4B0082", "gold": "FFD700"}


@for_tasks("use-colorwheel", "use-colorwheel-2")
def colour(agent, task):
    if "target" in task.fields:
        code = COLOURS[task.fields["target"]]
    else:
        style = next(item["style"] for item in agent.items("#query *", style="style") if item["style"])
        parts = re.findall(r"\d+", style.split("background-color")[-1])[:3]
        word = re.search(r"background-color: ?#?(\w+)", style)[1]
        code = COLOURS.get(word) or ("".join(f"{int(part):02X}" for part in parts) if word.startswith("rgb") else word)
    agent.type(task.tree.find("textbox"), code)
    agent.press("Tab")
    agent.tap("#subbtn")


@for_tasks("click-menu")
def menu(agent, task):
    tree = task.tree
    path = task.fields["target"].split(">")
    for name in path[:-1]:
        agent.act("hover", ref=tree.find("menuitem", name).ref)
        agent.call("wait", ms=500)
        tree = agent.look()
    agent.click(tree.find("menuitem", path[-1]))


@for_tasks("click-menu-2")
def menu_2(agent, task):
    names = {"Save": "disk", "Prev": "seek-start", "Stop": "stop", "Play": "play", "Next": "seek-end",
             "Zoom In": "zoomin", "Zoom Out": "zoomout"}
    if found := re.search('labeled "(.*)"', task.utterance):
        name = found[1]
    else:
        icon = agent.items("#query .ui-icon", icon="class")[0]["icon"]
        name = next(name for name, kind in names.items() if icon.endswith("ui-icon-" + kind))
    tree = agent.click(task.tree.find("button", "Menu"))
    if name in ("Prev", "Stop", "Play", "Next"):
        agent.act("hover", ref=tree.find("menuitem", "Playback").ref)
        agent.call("wait", ms=500)
        tree = agent.look()
    agent.click(tree.find("menuitem", name))


@for_tasks("click-pie", "click-pie-nodelay")
def pie(agent, task):
    tree = agent.click(task.tree.find("generic", "+"))
    agent.call("wait", ms=1200 if task.name == "click-pie" else 300)
    label = task.fields["target"]
    if found := agent.look().find("generic", label):
        agent.click(found)
    else:  # the slice at the top has the cursor `default`, hence no ref
        agent.act("click", target={"by": "xpath", "value": f"//*[local-name()='text'][.='{label}']"})


@for_tasks("click-widget")
def widget(agent, task):
    kind = task.fields["target"]
    if kind in ("text", "textarea"):
        agent.tap("#area textarea" if kind == "textarea" else '#area input[type="input"]')
    else:
        agent.click(task.tree.find(kind))


@for_tasks("scroll-text-2")
def scroll_text(agent, task):
    tree = agent.act("scroll", ref=task.tree.find("textbox").ref, to=task.fields["target"])
    submit(agent, tree)


@for_tasks("text-editor")
def style_text(agent, task):
    words = task.utterance
    agent.tap("#editor .ql-editor p")
    tree = agent.press("Control+A")
    if part := re.search(r"the text (\S+) the", words):
        line = next(line.value for line in tree.all("textbox") if line.value)
        before = line.index(part[1])
        tree = agent.press("Control+Home")
        for _ in range(before):
            tree = agent.press("ArrowRight")
        for _ in part[1]:
            tree = agent.press("Shift+ArrowRight")
    # Quill remembers a selection 100 ms after the key.
    agent.call("wait", ms=150)
    if colour := re.search(r"the color (\w+)", words):
        nth = ("red", "orange", "yellow", "green", "blue", "purple").index(colour[1]) + 2
        agent.tap(".ql-color .ql-picker-label")
        agent.tap(f".ql-color .ql-picker-item:nth-child({nth})")
    else:
        style = re.search(r"style (\w+)", words)[1]
        key = {"italics": "italic", "underlined": "underline"}.get(style, style)
        agent.tap(f".ql-{key}")
    agent.tap("#subbtn")
