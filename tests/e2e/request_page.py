"""A request for an examination: a form with every kind of field, and the receipt that is shown after it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.support.display import VirtualDesktop
from tests.support.site import serving, shown

TITLE = "Request for an examination"
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Request for an examination</title>
<style>
  body { font: 16px/1.4 "DejaVu Sans", sans-serif; margin: 20px 36px }
  input, select, textarea, button { font: inherit; padding: 4px 8px } button { padding: 6px 22px }
  .line { display: grid; grid-template-columns: 150px 330px; margin-bottom: 12px; align-items: center }
  .line label.one { margin-right: 26px }
</style>
<div id="view"><h1>Request for an examination</h1><form autocomplete="off">
  <div class="line"><label for="name">Patient</label><input id="name" name="name"></div>
  <div class="line"><label for="phone">Telephone</label><input id="phone" name="phone"></div>
  <div class="line"><label for="kind">Examination</label><select id="kind" name="kind">
    <option>Please choose</option><option>Blood count</option><option>Electrocardiogram</option><option>X-ray of the chest</option><option>Ultrasound</option></select></div>
  <div class="line"><span>Urgency</span><span><label class="one"><input type="radio" name="urgency" value="today"> Today</label><label class="one"><input type="radio" name="urgency" value="week"> This week</label><label class="one"><input type="radio" name="urgency" value="later" checked> Later</label></span></div>
  <div class="line"><label for="day">Wanted on</label><input id="day" name="day" placeholder="dd/mm/yyyy"></div>
  <div class="line"><span>Precautions</span><label><input type="checkbox" name="isolated" value="yes"> Isolation needed</label></div>
  <div class="line"><label for="remark">Remark</label><textarea id="remark" name="remark" rows="2"></textarea></div>
  <button type="submit">Send the request</button>
</form></div>
<script>
  document.querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const values = { isolated: "no", ...Object.fromEntries(new FormData(event.target)) };
    const receipt = %s;
    await fetch("/", { method: "POST", body: JSON.stringify({ ...values, receipt }) });
    document.title = "Request sent";
    document.getElementById("view").innerHTML = `<h1>The request was sent</h1><p>Thank you. It is answered within a day.</p><div class="line"><span>Receipt</span><b>${receipt}</b></div>`;
  });
</script></html>"""  # noqa: E501


@dataclass
class Site:
    """What is served now, and what was sent."""

    receipt: str = ""
    sent: list[dict[str, str]] = field(default_factory=list)
    port: int = 0


@contextmanager
def site() -> Iterator[Site]:
    one = Site()
    hear = lambda path, body: one.sent.append(json.loads(body))  # noqa: E731
    with serving(lambda path: PAGE % json.dumps(one.receipt), hear) as one.port:
        yield one


@contextmanager
def shown_as(
    screen: VirtualDesktop,
    one: Site,
    receipt: str,
    *,
    size: tuple[int, int] = (1000, 700),
    at: tuple[int, int] = (60, 30),
) -> Iterator[None]:
    """The empty form in a window of its own, in front; what is sent gets that receipt."""
    one.receipt = receipt
    one.sent.clear()
    with shown(screen, one.port, TITLE, size=size, at=at):
        yield
