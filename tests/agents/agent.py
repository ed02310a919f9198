"""The routes of a session, as an agent's program calls them, and a reader of snapshots' lines."""

import http.client
import json
import re
import time
from urllib.parse import urlsplit

LINE = re.compile(
    r'^(?P<indent> *)- (?P<role>[a-z-]+)'
    r'(?: "(?P<name>(?:[^"\\]|\\.)*)")?'
    r'(?P<attributes>(?: \[[^\]]*\])*)'
    r'(?: (?:placeholder|hint|url) "(?:[^"\\]|\\.)*")*'
    r'(?P<more>:(?: (?P<value>.*))?)?$'
)
EXTRA = re.compile(r'(placeholder|hint|url) "((?:[^"\\]|\\.)*)"')


class CallFailed(Exception):
    """A call that Porthole answered with an error."""

    def __init__(self, route, sent, answer):
        super().__init__(f"{route} {sent}: {answer.get('error')}: {answer.get('details')}")
        self.code = answer.get("error")
        self.answer = answer


class Line:
    """One line of a tree."""

    def __init__(self, text, line_number):
        self.text = text
        self.number = line_number
        self.children = []
        self.parent = None
        match = LINE.match(text)
        self.depth = (len(text) - len(text.lstrip(" "))) // 2
        self.role = match["role"] if match else ""
        self.name = unescape(match["name"] or "") if match else ""
        attributes = re.findall(r"\[([^\]]*)\]", match["attributes"]) if match else []
        self.attributes = dict(one.partition("=")[::2] for one in attributes)
        self.ref = self.attributes.get("ref")
        self.value = unescape(match["value"] or "") if match else text.strip()
        self.extra = {kind: unescape(value) for kind, value in EXTRA.findall(text)}

    def __repr__(self):
        return self.text.strip()

    @property
    def label(self):
        """Its name, or its own text where it has no name."""
        return self.name or self.value

    @property
    def box(self):
        """x, y, width, height; of a snapshot with boxes."""
        return [float(part) for part in self.attributes["box"].split(",")]

    @property
    def middle(self):
        x, y, width, height = self.box
        return x + width / 2, y + height / 2

    def all(self):
        """This line and those beneath it."""
        yield self
        for child in self.children:
            yield from child.all()

    def words(self):
        """All text beneath it."""
        return " ".join(one.label for one in self.all() if one.label)


def unescape(text):
    return text.replace("\\n", "\n").replace('\\"', '"').replace("\\\\", "\\")


class Tree:
    """A snapshot."""

    def __init__(self, text):
        self.text = text
        self.lines = []
        open_lines = []
        for number, one in enumerate(text.splitlines()):
            line = Line(one, number)
            self.lines.append(line)
            while open_lines and open_lines[-1].depth >= line.depth:
                open_lines.pop()
            if open_lines:
                line.parent = open_lines[-1]
                line.parent.children.append(line)
            open_lines.append(line)

    def find(self, role=None, label=None, contains=None, ref=True, nth=0):
        """The nth line of that role and label, in its very letters if there is one, or None."""
        found = self.all(role, label, contains, ref)
        found = [line for line in found if line.label == label] or found
        return found[nth] if -len(found) <= nth < len(found) else None

    def all(self, role=None, label=None, contains=None, ref=True):
        roles = (role,) if isinstance(role, str) else role
        return [
            line
            for line in self.lines
            if (roles is None or line.role in roles)
            and (not ref or line.ref)
            and (label is None or line.label.strip().casefold() == label.strip().casefold())
            and (contains is None or contains.casefold() in line.label.casefold())
        ]


class Agent:
    """A session of a sandbox. Counts what it calls, for the benchmark's table."""

    def __init__(self, service, sandbox):
        address = urlsplit(service)
        self.connection = http.client.HTTPConnection(address.hostname, address.port, timeout=70)
        self.sandbox = sandbox
        self.session = None
        self.calls = 0
        self.title = ""
        self.measured = []  # route, ms, bytes of the snapshot or None
        self.log = None

    def call(self, route, **fields):
        body = dict(fields, **self.sandbox)
        if self.session:
            body["session"] = self.session
        self.calls += 1
        began = time.perf_counter()
        self.connection.request("POST", f"/session/{route}", json.dumps(body), {"content-type": "application/json"})
        answer = json.loads(self.connection.getresponse().read())
        took_ms = (time.perf_counter() - began) * 1000
        tree = (answer.get("snapshot") or {}).get("tree") if isinstance(answer.get("snapshot"), dict) else None
        self.measured.append((route, took_ms, len(tree.encode()) if tree is not None else None))
        self.session = answer.get("session", self.session)
        self.title = answer.get("title", self.title)
        if self.log is not None:
            shown = {key: value for key, value in answer.items() if key not in ("session", "image_base64")}
            self.log.append((route, fields, round(took_ms), shown))
        if not answer.get("ok"):
            raise CallFailed(route, fields, answer)
        return answer

    def act(self, route, **fields):
        """Acts, and returns the snapshot that came with the answer."""
        fields.setdefault("snapshot", "full")
        return Tree(self.call(route, **fields)["snapshot"]["tree"])

    def look(self, **fields):
        return Tree(self.call("snapshot", **fields)["snapshot"]["tree"])

    def look_at_all(self, **fields):
        """All text, and with boxes all places."""
        return self.look(interactive_only=False, **fields)

    def extract(self, instruction, **fields):
        return self.call("extract", instruction=instruction, **fields)["content"]

    def click(self, line, **fields):
        return self.act("click", ref=line.ref, **fields)

    def click_at(self, x, y, **fields):
        return self.act("click", at={"x": x, "y": y}, **fields)

    def type(self, line, text, **fields):
        return self.act("type", ref=line.ref, text=text, **fields)

    def press(self, key, line=None, **fields):
        return self.act("press", key=key, **({"ref": line.ref} if line else {}), **fields)

    def drag(self, start, end, **fields):
        """Drags from a line, a point or a selector to another."""
        def target(place):
            if isinstance(place, str):
                return {"target": {"by": "css", "value": place}}
            return {"ref": place.ref} if isinstance(place, Line) else {"at": dict(zip("xy", place))}

        return self.act("drag", to=target(end), **target(start), **fields)

    def items(self, css, **attributes):
        """The attributes of all matches: `items("svg circle", x="cx")` is [{"x": "3"}, …]."""
        shape = {name: f"@{attribute}" for name, attribute in attributes.items()}
        return self.call("extract", extract={"kind": "json", "map": {"items": [css, shape]}})["data"]["items"]

    def box(self, css):
        """The bounding box of the first match."""
        fields = {"action": "waitForSelector", "target": {"by": "css", "value": css}}
        box = self.call("interact", **fields, options={"wait_for_visible": False})["details"]["bounding_box"]
        return [box[side] for side in ("x", "y", "width", "height")]

    def tap(self, css, **fields):
        """Clicks the first match of a selector."""
        return self.act("click", target={"by": "css", "value": css}, **fields)
