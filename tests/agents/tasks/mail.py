"""Tasks with the inbox."""

import re

from . import for_tasks


@for_tasks("email-inbox", "email-inbox-delete", "email-inbox-forward", "email-inbox-forward-nl", "email-inbox-nl-turk",
           "email-inbox-forward-nl-turk", "email-inbox-important", "email-inbox-noscroll", "email-inbox-reply",
           "email-inbox-star-reply")
def mail(agent, task):
    fields = task.fields
    kind = fields.get("task") or "forward"
    # The icons are pictures that the page's script asks for after `load`.
    agent.call("wait", network_idle_ms=100)
    tree = agent.look_at_all()
    thread = next(
        line for line in tree.lines
        if line.role == "generic" and line.children and line.children[0].label == fields["by"]
    )
    hint = {"delete": "trash", "star": "star", "important": "star"}.get(kind)
    if hint:
        agent.click(next(line for line in thread.all() if line.extra.get("hint") == hint))
        return
    tree = agent.click(thread)
    key = "reply" if kind == "reply" else "forward"
    word = next(line for line in tree.lines if line.label.lower() == key)
    # The word is text of the clickable element; its icon before it has the ref.
    tree = agent.click(word if word.ref else tree.lines[word.number - 1])
    if kind == "reply":
        tree = agent.type(tree.all("textbox")[-1], fields["message"])
    else:
        tree = agent.type(tree.find("textbox"), fields["to"])
    said = lambda line: (line.extra.get("hint", "") + line.label).lower()
    agent.click(next(line for line in tree.lines if line.ref and "send" in said(line)))
