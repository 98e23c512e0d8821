/* Done: what is left to mend, then publish, then the first run. */

import { fill, find, h, icon } from "../../rpa_site/dom.js";
import { say } from "../../rpa_site/words.js";
import { endHere, problemList } from "./panels.js";

export function doneDialog(store, edits, { goTo }) {
  const dialog = find("#done-dialog");
  const body = find("[data-body]", dialog);
  let published = null;
  let draws = "";
  find("#done").addEventListener("click", () => {
    published = null;
    draws = "";
    store.setNow({ trouble: "" }); // what was refused on the desktop has nothing to do with publishing
    render();
    dialog.showModal();
  });
  store.onChange(() => dialog.open && render());

  const leave = (where) => {
    dialog.close();
    goTo(where);
  };

  function render() {
    const problems = store.lesson.problems ?? [];
    const signature = JSON.stringify([problems, published, store.saving > 0, store.trouble, store.screen?.node_id]);
    if (signature === draws) return;
    draws = signature;
    fill(body, published ? afterwards() : before(problems));
  }

  function before(problems) {
    const errors = problems.filter((one) => one.severity !== "warning").length;
    const note = h("input", { class: "input", id: "publish-note", maxlength: 500 });
    const form = h("form", {},
      h("h2", { id: "done-title" }, errors ? say("to_mend", { n: errors }) : say("ready")),
      problemList(problems, leave, endHere(store, edits)),
      errors ? null : h("div", { class: "field" }, h("label", { for: "publish-note" }, say("note")), note),
      store.trouble ? h("p", { class: "notice red", role: "alert" }, icon("alert-circle"), h("span", {}, store.trouble)) : null,
      h("div", { class: "buttons" },
        h("button", { class: "button", type: "button", onclick: () => dialog.close() }, say("teach_on")),
        h("button", { class: "button", type: "button", onclick: end }, say("end_as_draft")),
        errors ? null : h("button", { class: "button primary", type: "submit", disabled: store.saving > 0 || !store.me.may_publish }, icon("upload"), say("publish"))));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const answer = await edits.publish(note.value);
      if (answer) published = answer.version;
      draws = "";
      render();
    });
    return form;
  }

  async function end() {
    if (await edits.end()) location.assign(store.at.workflow);
  }

  function afterwards() {
    return [h("h2", { id: "done-title" }, say("published", { n: published.number })), h("p", {}, say("published_text")),
      h("div", { class: "buttons" },
        h("button", { class: "button", type: "button", onclick: () => dialog.close() }, say("teach_on")),
        h("a", { class: "button", href: store.at.workflow, onclick: ended }, say("to_workflow")),
        store.me.may_operate ? h("a", { class: "button primary", href: store.at.start, onclick: ended }, icon("player-play"), say("first_run")) : null)];
  }

  /** The desktop is free for the run before the page is left. */
  async function ended(event) {
    event.preventDefault();
    const { href } = event.currentTarget;
    await edits.end();
    location.assign(href);
  }
}
