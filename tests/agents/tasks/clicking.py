"""Tasks that are done by clicking what the utterance names."""

import re
import time

from . import for_tasks, submit


@for_tasks("click-test")
def click_the_button(agent, task):
    agent.click(task.tree.find("button"))


@for_tasks("click-test-2", "click-test-transfer", "click-button", "unicode-test", "click-dialog-2")
def click_the_named_button(agent, task):
    agent.click(task.tree.find("button", task.fields["target"]))


@for_tasks("click-link")
def click_the_named_word(agent, task):
    agent.click(task.tree.find(None, task.fields["target"]))


@for_tasks("click-dialog")
def close_the_dialog(agent, task):
    agent.click(task.tree.find("button", "Close"))


@for_tasks("click-button-sequence")
def click_two(agent, task):
    tree = agent.click(task.tree.find("button", "ONE"))
    agent.click(tree.find("button", "TWO"))


@for_tasks("button-delay")
def click_two_with_a_wait(agent, task):
    tree = agent.click(task.tree.find("button", "ONE"))
    seconds = int(re.search(r"wait (\d+) second", task.utterance)[1])
    agent.call("wait", ms=1000 * seconds)
    agent.click(tree.find("button", "TWO"))


@for_tasks("click-checkboxes", "click-checkboxes-large", "click-checkboxes-transfer")
def check_the_named(agent, task):
    tree = task.tree
    for key, label in task.fields.items():
        if key.startswith("target"):
            tree = agent.act("check", ref=tree.find("checkbox", label).ref)
    submit(agent, tree)


# What a language model knows anyway.
ALIKE = """big large huge enormous gigantic; small tiny little mini petite; red scarlet crimson vermillion;
happy cheerful joyful gleeful delighted; sad unhappy sorrowful miserable tragic; angry mad furious irritated;
evil wicked immoral sinful corrupt depraved; wrong incorrect mistaken erroneous; real genuine actual;
strange odd peculiar unusual weird; stop cease halt end finish; scared terrified panicked fearful frightened afraid;
quiet calm peaceful serene mild; old aged archaic; love like adore favor; kill murder assassinate;
keep retain preserve sustain maintain; hide conceal camouflage; hate despise loathe detest dislike;
funny humorous amusing comical laughable; fat fleshy plump chubby; stupid dumb dull unwise;
delicious savory delectable appetizing; cut slice carve chop; brave courageous fearless;
fire flame; pig swine hog; home house residence; television tv; cash money bucks; water liquid; car automobile vehicle;
sugar sweet; fast quick speedy rapid swift hasty; trash garbage rubbish; begin start initiate launch originate;
answer response reply; dark shadowy unlit murky gloomy dim; important necessary vital critical indispensable valuable
essential significant; smart bright clever intelligent; child kid youngster"""


@for_tasks("click-checkboxes-soft")
def check_the_alike(agent, task):
    groups = [group.split() for group in ALIKE.split(";")]
    wanted = {value for key, value in task.fields.items() if key.startswith("target")}
    wanted |= {word for group in groups if wanted & set(group) for word in group}
    tree = task.tree
    for box in tree.all("checkbox"):
        if box.name in wanted:
            tree = agent.act("check", ref=box.ref)
    submit(agent, tree)


@for_tasks("click-option")
def choose_the_named(agent, task):
    submit(agent, agent.act("check", ref=task.tree.find("radio", task.fields["target"]).ref))


@for_tasks("choose-list", "click-scroll-list")
def select_the_named(agent, task):
    values = task.fields["target"].split(", ")
    submit(agent, agent.act("select", ref=task.tree.find(("combobox", "listbox")).ref, values=values))


@for_tasks("click-collapsible", "click-collapsible-nodelay")
def expand_and_submit(agent, task):
    agent.click(next(tab for tab in task.tree.all("tab") if "collapsed" in tab.attributes))
    agent.call("wait", target={"by": "css", "value": "#subbtn"}, state="visible")
    agent.tap("#subbtn")


@for_tasks("click-collapsible-2", "click-collapsible-2-nodelay", "click-tab-2", "click-tab-2-easy",
           "click-tab-2-medium",
           "click-tab-2-hard")
def look_behind_each_tab(agent, task):
    tree = task.tree
    for tab in tree.all("tab"):
        if found := tree.find("generic", task.fields["target"]):
            agent.click(found)
            return
        tree = agent.click(tab)
        if not tree.find("generic", task.fields["target"]):
            agent.call("wait", ms=400)
            tree = agent.look()
    agent.click(tree.find("generic", task.fields["target"]))


@for_tasks("click-tab")
def click_the_tab(agent, task):
    agent.click(task.tree.find("link", f"Tab #{task.fields['target']}"))


@for_tasks("click-color")
def click_the_colour(agent, task):
    colour = task.fields["target"]
    agent.tap(f'#area .color[style*="background-color: {colour};"]')


@for_tasks("focus-text", "focus-text-2")
def focus(agent, task):
    agent.click(task.tree.find("textbox", nth=int(task.fields.get("target", 1)) - 1))


@for_tasks("find-greatest")
def pick_the_greatest(agent, task):
    cards = task.tree.all("generic")
    for card in cards:
        if not re.search(r"\d", card.words()):
            tree = agent.click(card)
    cards = [card for card in agent.look().all("generic")]
    best = max(cards, key=lambda card: int(re.search(r"-?\d+", card.words())[0]))
    submit(agent, agent.click(best))


@for_tasks("odd-or-even")
def mark_numbers(agent, task):
    lines = agent.look_at_all().lines
    tree = None
    for before, line, after in zip(lines, lines[1:], lines[2:]):
        if line.role == "text" and before.name == "Odd" and after.name == "Even":
            tree = agent.click(after if int(line.value) % 2 == 0 else before)
    submit(agent, tree)


@for_tasks("ascending-numbers")
def ascending(agent, task):
    boxes = [agent.box(f"svg text:nth-of-type({index})") for index in range(1, 6)]
    for x, y, width, height in boxes:
        agent.click_at(x + width / 2, y + height / 2)


@for_tasks("simon-says")
def repeat_what_was_shown(agent, task):
    seen, last, quiet = [], None, 0
    deadline = time.monotonic() + 12
    while time.monotonic() < deadline and quiet < 40:
        buttons = enumerate(agent.items("#area button", kind="class"), 1)
        lit = [nth for nth, item in buttons if "push" in (item["kind"] or "")]
        now = lit[0] if lit else None
        if now and now != last:
            seen.append(now)
        quiet = 0 if now or not seen else quiet + 1
        last = now
        time.sleep(0.02)
    for nth in seen:
        agent.tap(f"#button-{nth}")


@for_tasks("number-checkboxes")
def draw_a_digit(agent, task):
    # As the pictures beside the boxes show them.
    digits = {
        "0": "0110 1001 1001 1001 1001 1001 0110", "1": "0010 0110 0010 0010 0010 0010 0010",
        "2": "0110 1001 1001 0010 0100 1000 1111", "3": "0110 1001 0001 0110 0001 1001 0110",
        "4": "1000 1010 1010 1111 0010 0010 0010", "5": "1111 1000 1000 1110 0001 1001 0110",
        "6": "0110 1001 1000 1110 1001 1001 0110", "7": "1111 1001 0001 0010 0010 0100 0100",
        "8": "0110 1001 1001 0110 1001 1001 0110", "9": "0110 1001 1001 0111 0001 1001 0110",
    }
    dots = digits[task.fields["target"]].replace(" ", "")
    boxes = task.tree.all("checkbox")
    for box, dot in zip(boxes, dots):
        if dot == "1":
            agent.act("check", ref=box.ref)
    submit(agent, task.tree)


@for_tasks("buy-ticket")
def buy(agent, task):
    lines = agent.look_at_all().lines
    tickets = []
    for before, line in zip(lines, lines[1:]):
        if line.role == "button":
            hours, minutes = map(int, re.findall(r"\d+", before.value))
            tickets.append((hours * 60 + minutes, int(re.search(r"\d+", line.name)[0]), line))
    key = 0 if "duration" in task.fields["target"] else 1
    pick = max if re.search("longest|most expensive", task.fields["target"]) else min
    agent.click(pick(tickets, key=lambda ticket: ticket[key])[2])


@for_tasks("guess-number")
def guess(agent, task):
    low, high, tree = 0, 9, task.tree
    while low <= high:
        middle = (low + high) // 2
        tree = submit(agent, agent.type(tree.find("spinbutton"), str(middle)))
        words = agent.look_at_all().text
        if "higher" in words:
            low = middle + 1
        elif "lower" in words:
            high = middle - 1
        else:
            return


@for_tasks("generate-number")
def generate(agent, task):
    tree = task.tree
    for _ in range(40):
        tree = agent.click(tree.find("button", "Generate"))
        shown = [line.value for line in agent.look_at_all().lines if line.role == "text"][-1]
        number, criterion = int(shown), task.fields["criterion"]
        limit = int(task.fields.get("number", 0))
        if {"odd": number % 2 == 1, "even": number % 2 == 0, "greater than": number > limit,
                "less than": number < limit}[criterion]:
            break
    submit(agent, tree)


@for_tasks("stock-market")
def buy_cheaply(agent, task):
    limit = float(task.fields["target"])
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        price = re.search(r"\$([\d.]+)", agent.look_at_all().text.partition("price:")[2])
        if price and float(price[1]) < limit:
            agent.click(task.tree.find("button", "Buy"))
            return


@for_tasks("tic-tac-toe")
def win(agent, task):
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    for _ in range(5):
        cells = [cell["mark"] or "" for cell in agent.items(".ttt-row span", mark="class")]
        mine = [index for index, mark in enumerate(cells) if "mark-x" in mark]
        theirs = [index for index, mark in enumerate(cells) if "mark-o" in mark]
        free = [index for index in range(9) if index not in mine + theirs]
        for marks in (mine, theirs):
            two = [set(line) - set(marks) for line in lines if len(set(line) & set(marks)) == 2]
            move = next((one.pop() for one in two if len(one) == 1 and one <= set(free)), None)
            if move is not None:
                break
        if move is None:
            threats = lambda index: sum(
                len(set(line) & set(mine + [index])) == 2 and not set(line) & set(theirs)
                for line in lines if index in line)
            move = max(free, key=lambda index: (threats(index) if mine else 0, index in (0, 2, 6, 8), index == 4))
        if agent.tap(f"#ttt-{move}").find(None, "START"):
            return
        agent.call("wait", ms=600)
