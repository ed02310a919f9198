"""Tasks that are done by typing into fields."""

import re

from agent import CallFailed, Tree
from . import for_tasks, submit


@for_tasks("enter-text", "enter-text-dynamic", "enter-date")
def type_and_submit(agent, task):
    text = task.fields["target"]
    if task.name == "enter-date":
        month, day, year = text.split("/")
        field = task.tree.find("textbox")
        kind = agent.items("#area input", kind="type")[0]["kind"]
        text = f"{year}-{month}-{day}" if kind == "date" else text
        submit(agent, agent.type(field, text))
        return
    submit(agent, agent.type(task.tree.find("textbox"), text))


@for_tasks("enter-time")
def type_a_time(agent, task):
    hours, minutes, half = re.fullmatch(r"(\d+):(\d+)([AP]M)", task.fields["target"]).groups()
    hours = int(hours) % 12 + (12 if half == "PM" else 0)
    submit(agent, agent.type(task.tree.find("textbox"), f"{hours:02}:{minutes}"))


@for_tasks("enter-text-2")
def type_in_case(agent, task):
    text = getattr(task.fields["text"], task.fields["case"])()
    submit(agent, agent.type(task.tree.find("textbox"), text))


@for_tasks("enter-password")
def type_twice(agent, task):
    tree = task.tree
    for nth in range(2):
        tree = agent.type(tree.find("textbox", nth=nth), task.fields["target"])
    submit(agent, tree)


@for_tasks("login-user", "login-user-popup")
def log_in(agent, task):
    tree = task.tree
    for nth, text in enumerate((task.fields["username"], task.fields["password"])):
        for _ in range(4):
            if cancel := tree.find("button", "Cancel"):
                tree = agent.click(cancel)
            try:
                tree = agent.type(tree.find("textbox", nth=nth), text)
                break
            except CallFailed as failed:
                tree = Tree(failed.answer["snapshot"]["tree"])
    if cancel := tree.find(None, "Cancel"):
        tree = agent.click(cancel)
    agent.click(tree.find("button", "Login") or tree.find("button", "OK"))


@for_tasks("copy-paste", "copy-paste-2")
def copy(agent, task):
    areas = [line for line in task.tree.all("textbox") if line.value]
    text = areas[int(task.fields.get("target", 1)) - 1].value
    empty = next(line for line in task.tree.all("textbox") if not line.value)
    submit(agent, agent.type(empty, text))


@for_tasks("find-word")
def find_the_word(agent, task):
    paragraph = agent.look_at_all().find("paragraph").value
    word = re.sub(r"[^\w]", "", paragraph.split()[int(task.fields["target"]) - 1])
    submit(agent, agent.type(task.tree.find("textbox"), word))


@for_tasks("text-transform")
def type_what_is_drawn(agent, task):
    text = "".join(line.value for line in agent.look_at_all().lines if line.role == "text" and len(line.value) == 1)
    submit(agent, agent.type(task.tree.find("textbox"), text))


@for_tasks("simple-arithmetic")
def calculate(agent, task):
    text = agent.look_at_all().text
    left, sign, right = re.search(r"text: (-?\d+) ?([-+x×*/]) ?(-?\d+) =", text).groups()
    left, right = int(left), int(right)
    answer = {"+": left + right, "-": left - right}.get(sign, left * right)
    submit(agent, agent.type(task.tree.find("textbox"), str(answer)))


@for_tasks("simple-algebra")
def solve_for_x(agent, task):
    left, sign, right, result = re.search(r"text: (\w+) ([-+]) (\w+) = (-?\d+)", agent.look_at_all().text).groups()
    result = int(result)
    if left == "x":
        answer = result - int(right) if sign == "+" else result + int(right)
    else:
        answer = result - int(left) if sign == "+" else int(left) - result
    submit(agent, agent.type(task.tree.find("textbox"), str(answer)))


@for_tasks("scroll-text")
def last_word(agent, task):
    area = task.tree.find("textbox")
    text = agent.items("#text-area, #area textarea", value="value") if area.value.endswith("…") else None
    word = (text[0]["value"] if text else area.value).split()[-1]
    submit(agent, agent.type(task.tree.find("textbox", nth=1), word))


@for_tasks("multi-layouts", "multi-orderings")
def search_movies(agent, task):
    lines = agent.look_at_all().lines
    labels = []
    for line in lines:
        words = f"{line.label} {line.extra.get('placeholder', '')}".casefold().replace("date", "year")
        if not words.startswith("search for"):
            labels += [key for key in ("director", "genre", "year") if key in words][:1]
    # Labels are above or below their fields, in one order.
    for label, field in zip(dict.fromkeys(labels), [line for line in lines if line.role == "textbox"]):
        tree = agent.type(field, task.fields[label])
    agent.click(tree.all(("button", "generic"))[-1])


@for_tasks("form-sequence-2")
def radio_and_text(agent, task):
    radio = task.tree.find("radio", nth=int(task.fields["radio target"]) - 1)
    agent.act("check", ref=radio.ref)
    box = task.tree.find("textbox", nth=int(task.fields["textbox target"]) - 1)
    submit(agent, agent.type(box, task.fields["textbox text"]))


@for_tasks("form-sequence-3")
def dropdown_and_button(agent, task):
    tree = agent.click(task.tree.find("generic"))
    tree = agent.click(tree.find("listitem", task.fields["dropdown target"]))
    submit(agent, tree, task.fields["button target"])


@for_tasks("sign-agreement")
def sign(agent, task):
    tree = task.tree
    if "name" in task.fields:
        agent.act("scroll", ref=tree.find("textbox").ref, to="bottom")
        tree = agent.type(agent.look().find("textbox", "Name"), task.fields["name"])
    submit(agent, tree, task.fields["button"])


@for_tasks("terminal")
def delete_a_file(agent, task):
    def command(text):
        agent.act("type", target={"by": "css", "value": "#terminal-target"}, text=text, slowly=True)
        agent.press("Enter")
        return agent.look_at_all().text

    words = command("ls")
    files = re.findall(r"\b[\w-]+\.[a-z0-9]+\b|\b\w+\b", words.split("$ ls")[-1] if "$ ls" in words else words)
    ending = re.search(r"\.(\w+)$", task.fields["target"])
    names = [file for file in files if (file.endswith("." + ending[1]) if ending else "." not in file)]
    command("rm " + names[0])
