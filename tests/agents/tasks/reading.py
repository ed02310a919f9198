"""Tasks that look something up, page by page or in a list."""

import re

from . import for_tasks, submit


def table(tree):
    rows = [line.children for line in tree.lines if line.role == "row"]
    return {cells[0].label: cells[1].label for cells in rows if len(cells) > 1}


@for_tasks("read-table")
def read_one(agent, task):
    value = table(agent.look_at_all())[task.fields["target"]]
    submit(agent, agent.type(task.tree.find("textbox"), value))


@for_tasks("read-table-2")
def read_two(agent, task):
    tree = agent.look_at_all()
    values = table(tree)
    label = ""
    for line in tree.lines:
        if line.role == "text":
            label = line.value.strip(": ")
        elif line.role == "textbox":
            agent.type(line, values[label or line.name.strip(": ")])
    submit(agent, tree)


@for_tasks("search-engine")
def search(agent, task):
    tree = agent.type(task.tree.find("textbox"), task.fields["query"])
    tree = agent.click(tree.find("button", "Search"))
    rank = int(task.fields["rank"]) - 1
    for page in range(1, 9):
        results = [line for line in tree.all("link") if not re.fullmatch(r"\d+|[<>]", line.label)]
        if rank < len(results):
            agent.click(results[rank])
            return
        rank -= len(results)
        tree = agent.click(tree.find("link", ">"))


@for_tasks("phone-book")
def look_up(agent, task):
    tree = task.tree
    for _ in range(20):
        if tree.find("heading", task.fields["name"], ref=False):
            nth = ("phone number", "email", "address").index(task.fields["target"])
            agent.click(tree.find("generic", nth=nth))
            return
        tree = agent.click(tree.find("link", ">"))


@for_tasks("navigate-tree")
def open_folders(agent, task):
    tried = set()
    tree = task.tree
    while True:
        if found := tree.find(None, task.fields["target"]):
            agent.click(found)
            return
        folders = (line for line in tree.lines if line.ref and "clickable" in line.attributes)
        folder = next(line for line in folders if line.ref not in tried)
        tried.add(folder.ref)
        tree = agent.click(folder)


@for_tasks("social-media")
def act_on_a_user(agent, task):
    icons = {"Reply": "reply", "Retweet": "retweet", "Like": "like"}
    names = [item["name"] for item in agent.call(
        "extract", extract={"kind": "json", "map": {"items": ["#area .media", {"name": ".username"}]}}
    )["data"]["items"]]
    nth = names.index(task.fields["user"]) + 1
    post = f"#area .media:nth-child({nth})"
    if task.fields["button"] in icons:
        for _ in range(2):
            # A picture that is loaded only on hover moves the icon away under the first click.
            if agent.tap(f"{post} .{icons[task.fields['button']]}").find(None, "START"):
                break
        return
    agent.tap(f"{post} .more")
    if not agent.look_at_all().find("listitem", "Report", ref=False):
        agent.tap(f"{post} .more")
    words = {"Share via DM": "share", "Copy link to Tweet": "copy", "Embed Tweet": "embed", "Mute": "menu-user",
             "Block": "block-user", "Report": "report"}
    key = next(value for key, value in words.items() if task.fields["button"].startswith(key))
    agent.tap(f"{post} li.{key}")


@for_tasks("social-media-all", "social-media-some")
def act_on_all_posts(agent, task):
    names = [item["name"] for item in agent.call(
        "extract", extract={"kind": "json", "map": {"items": ["#area .media", {"name": ".username"}]}}
    )["data"]["items"]]
    left = int(task.fields.get("amount", 99))
    for nth, name in enumerate(names, 1):
        if name == task.fields["user"] and left > 0:
            agent.tap(f"#area .media:nth-child({nth}) .{task.fields['button'].lower()}")
            left -= 1
    submit(agent, agent.look())


@for_tasks("order-food")
def order(agent, task):
    items = agent.call("extract", extract={"kind": "json", "map": {
        "items": [".food-item", {"name": ".item-name", "types": ["img@alt"]}]}})["data"]["items"]
    if task.fields["criterion"] == "name":
        wanted = [value for key, value in task.fields.items() if key.startswith("target")]
        chosen = [index for index, item in enumerate(items) if item["name"] in wanted]
    else:
        kind = task.fields["type"].strip(". ").replace(" ", "-")
        chosen = [index for index, item in enumerate(items) if any(kind in (one or "") for one in item["types"])]
        amount = {"one": 1, "two": 2, "three": 3}.get(task.fields["amount"]) or int(task.fields["amount"])
        chosen = (chosen * amount)[:amount]
    for index in chosen:
        add = f"(//div[contains(@class,'food-item')])[{index + 1}]//*[@class='add']"
        agent.act("click", target={"by": "xpath", "value": add})
    submit(agent, agent.look(), "Order") if agent.look().find("button", "Order") else agent.tap("#submit-order button")
