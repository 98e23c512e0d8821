/* Done: what is left to mend, what publishing changes, then publish, then the first run. */

import { fill, find, h, icon } from "../../rpa_site/dom.js";
import { interpolate } from "../../rpa_site/words.js";
import { emphasised } from "../live/sentence.js";
import { endHere, problemList } from "./panels.js";

const MARKS = { added: ["plus", "green-ink", gettext("New:")], removed: ["x", "red-ink", gettext("Taken out:")], changed: ["pencil", "blue-ink", gettext("Changed:")] };

export function doneDialog(store, edits, { goTo }) {
  const dialog = find("#done-dialog");
  const body = find("[data-body]", dialog);
  let published = null;
  let differs = null; // what the draft changes of the newest version
  let draws = "";
  find("#done").addEventListener("click", async () => {
    published = differs = null;
    draws = "";
    store.setNow({ trouble: "" }); // what was refused on the desktop has nothing to do with publishing
    render();
    dialog.showModal();
    differs = await edits.changes();
    render();
  });
  store.onChange(() => dialog.open && render());

  const leave = (where) => {
    dialog.close();
    goTo(where);
  };

  function render() {
    const problems = store.lesson.problems ?? [];
    const signature = JSON.stringify([problems, published, differs, store.saving > 0, store.trouble, store.screen?.node_id]);
    if (signature === draws) return;
    draws = signature;
    const written = find("#publish-note", body)?.value ?? "";
    fill(body, published ? afterwards() : before(problems, written));
  }

  function before(problems, written) {
    const errors = problems.filter((one) => one.severity !== "warning").length;
    const note = h("input", { class: "input", id: "publish-note", maxlength: 500, value: written });
    const form = h("form", {},
      h("h2", { id: "done-title" }, errors ? interpolate(ngettext("%(n)s thing to mend before publishing", "%(n)s things to mend before publishing", errors), { n: errors }) : gettext("Ready to publish")),
      problemList(problems, leave, endHere(store, edits)),
      differs?.since ? changes(differs) : null,
      errors ? null : h("div", { class: "field" }, h("label", { for: "publish-note" }, gettext("What changed (optional)")), note),
      store.trouble ? h("p", { class: "notice red", role: "alert" }, icon("alert-circle"), h("span", {}, store.trouble)) : null,
      h("div", { class: "buttons" },
        h("button", { class: "button", type: "button", onclick: () => dialog.close() }, gettext("Teach on")),
        h("button", { class: "button", type: "button", onclick: end }, gettext("End, keep as a draft")),
        errors ? null : h("button", { class: "button primary", type: "submit", disabled: store.saving > 0 || !store.me.may_publish }, icon("upload"), gettext("Publish"))));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const answer = await edits.publish(note.value);
      if (answer) published = answer.version;
      draws = "";
      render();
    });
    return form;
  }

  function changes({ since, changes: all }) {
    return h("section", { class: "changes", "aria-label": interpolate(gettext("What changes from version %(n)s"), { n: since }) },
      h("h3", { class: "overline" }, interpolate(gettext("What changes from version %(n)s"), { n: since })),
      all.length ? h("ul", {}, all.map(change)) : h("p", { class: "muted" }, gettext("Nothing has changed.")));
  }

  function change({ kind, what, was, now, pictures }) {
    const [glyph, css, words] = MARKS[kind];
    const hasSides = kind === "changed" && Boolean(was.length || now.length || pictures[0] || pictures[1]);
    const none = h("p", { class: "small none" }, gettext("nothing of that")); // what went, or came, has nothing on the other side
    const side = (name, lines, digest) => hasSides ? h("div", { class: name }, h("span", { class: "small muted" }, name === "was" ? gettext("Before") : gettext("Now")), lines.length || digest ? null : none, digest ? h("img", { src: store.pictureUrl(digest), alt: "", loading: "lazy" }) : null, lines.map((line) => h("p", { class: "small" }, line))) : null;
    return h("li", {}, icon(glyph, css), h("div", {}, h("strong", {}, words), " ", emphasised(what),
      h("div", { class: "sides" }, side("was", was, pictures[0]), side("now", now, pictures[1]))));
  }

  async function end() {
    if (await edits.end()) location.assign(store.at.workflow);
  }

  /** The lesson is over with it, and its desktop free. */
  function afterwards() {
    return [h("h2", { id: "done-title" }, interpolate(gettext("Published as version %(n)s"), { n: published.number })), h("p", {}, gettext("Runs use it from now on. The lesson is over and the desktop is free.")),
      h("div", { class: "buttons" },
        h("a", { class: "button", href: store.at.teach }, gettext("Teach on")),
        h("a", { class: "button", href: store.at.workflow }, gettext("To the workflow")),
        store.me.may_operate ? h("a", { class: "button primary", href: store.at.start }, icon("player-play"), gettext("Start the first run")) : null)];
  }
}
