/* Without a desktop: which picture shows, the ones beside it, and whether what is done shows the next. */

import { fill, find, h, icon } from "../../rpa_site/dom.js";
import { interpolate } from "../../rpa_site/words.js";

export function picturesView(store, connection) {
  const bar = find("#pictures-bar");
  let shown = "";
  const turn = (message) => connection.send({ type: "picture", ...message });
  const step = (by, glyph, words, disabled) => h("button", { class: "note-button", type: "button", disabled, title: words, "aria-label": words, data: { turn: String(by) }, onclick: () => turn({ to: store.lesson.pictures.at + by }) }, icon(glyph));

  store.onChange(() => {
    const { pictures } = store.lesson;
    const live = store.connection === "live" && store.lesson.state === "live";
    const signature = JSON.stringify([pictures, live, store.isAsking]);
    if (signature === shown) return;
    shown = signature;
    bar.hidden = !pictures;
    if (!pictures) return;
    const { at, of, name, did, leads_on: leadsOn } = pictures;
    const still = !live || store.isAsking;
    const box = h("input", { type: "checkbox", checked: Boolean(leadsOn), disabled: still });
    box.addEventListener("change", () => turn({ leads_on: box.checked }));
    const known = did?.act && did.act !== "type_text" && !did.unseen;
    const words = did?.act ? interpolate(didHere(did), { on: did.on ?? "", keys: did.keys ?? "", n: did.length ?? 0 }) : "";
    fill(bar,
      step(-1, "chevron-left", gettext("The picture before"), still || at === 0),
      h("span", { role: "status" }, interpolate(gettext("Picture %(n)s of %(of)s"), { n: at + 1, of }), name ? ` · ${name}` : ""),
      step(1, "chevron-right", gettext("The next picture"), still || at + 1 >= of),
      words ? h("span", { class: "did" }, words) : null,
      known ? h("button", { class: "note-button", type: "button", disabled: still, data: { did: "" }, onclick: () => turn({ did: true }) }, icon("check"), gettext("Keep it as a step")) : null,
      h("label", { class: "leads-on" }, box, h("span", {}, gettext("What you do shows the next picture"))));
  });
}

const didHere = ({ act, length }) => ({
  click: gettext("Here was clicked %(on)s"),
  double_click: gettext("Here was a double click %(on)s"),
  right_click: gettext("Here was a right click %(on)s"),
  drag: gettext("Here was dragged %(on)s"),
  scroll: gettext("Here the wheel was turned"),
  press_keys: gettext("Here was pressed %(keys)s"),
  type_text: ngettext("Here %(n)s character was typed; type what a run types", "Here %(n)s characters were typed; type what a run types", length ?? 0),
}[act] ?? "");
