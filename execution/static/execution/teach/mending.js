/* Mending: what the picture of a run's step is said to be, what that would change, and the run that goes on with it. */

import { announce, fill, find, h, icon } from "../../rpa_site/dom.js";
import { interpolate } from "../../rpa_site/words.js";
import { emphasised } from "../live/sentence.js";
import { notPossibleForm, placeOf } from "./not_possible.js";
import { keptWhileTyping, overline } from "./parts.js";

const VERDICTS = { better: ["circle-check", "green-ink"], worse: ["alert-circle", "red-ink"], other: ["info-circle", "amber-ink"] };
const MOST = 12; // pictures that are shown

export function mendingView(store, connection, edits, { toPanel }) {
  const panel = find("#panel-mend");
  const tab = find("#tab-mend");
  if (!store.lesson.mend) return () => {};
  tab.hidden = false;
  toPanel("tab-mend");
  let waiting = false; // for what a change would do
  let outcome = null; // of saving: {number, resumed, why}
  const what = () => [store.lesson.mend, store.screen, store.mending, store.drawing?.kind, store.connection, store.lesson.screens?.map((one) => [one.node_id, one.name]), waiting, outcome, store.saving, store.keeping, store.trouble, store.isAsking, store.lesson.state];
  keptWhileTyping(store, panel, what, () => fill(panel, parts()));
  store.onChange(() => {
    if (!waiting || (!store.mending && !store.trouble)) return;
    waiting = false;
    if (store.mending) announce(store.mending.said);
    store.set({});
  });

  const live = () => store.connection === "live" && store.lesson.state === "live" && !store.isAsking && !store.keeping;

  /** What it would change, first; nothing is written. */
  function ask(message) {
    if (!live()) return;
    waiting = true;
    outcome = null;
    store.set({ mending: null, trouble: "" });
    connection.send({ type: "mend", ...message });
  }

  function keep() {
    if (!connection.send({ type: "mend", ...store.mending.asked, keep: true })) return;
    store.set({ mending: null, keeping: true, trouble: "" });
  }

  function parts() {
    const { mend } = store.lesson;
    return [
      h("p", { class: "mend-what" }, h("a", { href: mend.url }, mend.run), ` · ${interpolate(gettext("step %(n)s"), { n: mend.step })}`),
      mend.sentence ? h("p", {}, emphasised(mend.sentence), mend.screen ? h("span", { class: "muted" }, " ", interpolate(gettext("on “%(name)s”"), { name: mend.screen })) : null) : null,
      mend.why ? h("p", { class: "muted" }, mend.why) : null,
      mend.differs ? h("p", { class: "notice amber" }, icon("alert-triangle"), h("span", {}, mend.differs)) : null,
      store.mending ? preview(store.mending) : waiting ? h("p", { class: "muted", role: "status" }, icon("hourglass"), " ", gettext("Looking what it changes on all pictures …")) : ways(mend),
      saving(mend),
    ];
  }

  // --- what can be said ------------------------------------------------------------------------------------------------
  function ways(mend) {
    return [overline(gettext("The target")), target(mend), overline(gettext("The screen")), screens(), overline(gettext("A dialog that may come")), dialog(),
      overline(gettext("Not possible here …")), notPossibleForm(store, { disabled: !live(), onscreen: (reason) => ask({ what: "not_possible", reason }) })];
  }

  function target(mend) {
    if (!mend.target) return h("p", { class: "muted" }, gettext("This step acts on nothing in the draft."));
    const show = (how, words) => h("button", { class: "button slim", type: "button", disabled: !live(), "aria-pressed": String(store.drawing?.how === how), data: { mend: how }, onclick: () => store.set({ drawing: store.drawing?.how === how ? null : { kind: "mend", how } }) }, icon("crop"), words);
    return [h("p", {}, emphasised(interpolate(gettext("“%(name)s” is here now:"), { name: mend.target }))), h("div", { class: "row-buttons" }, show("also", gettext("Also this")), show("only", gettext("From now on this"))), h("p", { class: "hint" }, gettext("Choose, then click it on the picture, or draw a box around it."))];
  }

  function screens() {
    const select = h("select", { class: "input", "aria-label": gettext("It is the screen …"), data: { mend: "look" }, disabled: !live() }, h("option", { value: "" }, gettext("It is the screen …")), (store.lesson.screens ?? []).map((one) => h("option", { value: one.node_id }, one.name)));
    select.addEventListener("change", () => select.value && ask({ what: "look", node_id: select.value }));
    return [select, h("div", { class: "row-buttons" },
      h("button", { class: "button slim", type: "button", disabled: !live(), onclick: () => ask({ what: "new_screen", common: false }) }, icon("plus"), gettext("A new screen")),
      h("button", { class: "button slim", type: "button", disabled: !live(), onclick: () => ask({ what: "new_screen", common: true }) }, icon("plus"), gettext("A new one that may come at any time")))];
  }

  function dialog() {
    const found = store.screen?.dialog;
    if (!found) return h("p", { class: "muted" }, gettext("Nothing lies over a known screen here."));
    const names = (found.buttons ?? []).map((button) => button.text);
    return [h("p", {}, [found.title, ...(found.texts ?? []).slice(0, 4)].filter(Boolean).join(" · ")),
      h("div", { class: "row-buttons" },
        names.map((name) => h("button", { class: "button slim", type: "button", disabled: !live(), data: { press: name }, onclick: () => ask({ what: "dialog", press: name }) }, interpolate(gettext("Press “%(name)s” each time"), { name }))),
        h("button", { class: "button slim", type: "button", disabled: !live(), onclick: () => ask({ what: "dialog", press: "" }) }, gettext("Ask each time")))];
  }

  // --- what it would change --------------------------------------------------------------------------------------------
  function preview({ said, of, changes, target: found }) {
    const all = [...(found?.changes ?? []).map((one) => ({ ...one, text: one.verdict === "better" ? gettext("the target is found now") : gettext("the target is not found any more") })), ...changes.map((one) => ({ ...one, text: moved(one) }))];
    const worse = all.some((one) => one.verdict === "worse");
    const missed = found && !found.here;
    return h("div", { class: "mend-preview" },
      h("p", {}, h("strong", {}, emphasised(said))),
      found ? h("p", { class: "muted" }, interpolate(ngettext("Found on %(n)s picture of %(of)s, before on %(was)s", "Found on %(n)s pictures of %(of)s, before on %(was)s", found.after.found), { was: found.before.found, n: found.after.found, of: found.after.of }), " · ", h("span", { class: found.after.elsewhere ? "red-ink" : "" }, interpolate(gettext("%(n)s elsewhere"), { n: found.after.elsewhere }))) : null,
      missed ? h("p", { class: "notice red" }, icon("alert-circle"), h("span", {}, gettext("It would not be found on this very picture."))) : null,
      h("p", { class: "muted" }, all.length ? interpolate(ngettext("The answer changes on %(n)s picture of %(of)s:", "The answer changes on %(n)s pictures of %(of)s:", all.length), { n: all.length, of }) : interpolate(ngettext("The answer stays the same on the %(n)s picture.", "The answer stays the same on all %(n)s pictures.", of), { n: of })),
      h("ul", { class: "mend-changes" }, all.slice(0, MOST).map(change)),
      h("div", { class: "row-buttons" },
        h("button", { class: `button ${worse || missed ? "" : "primary"}`, type: "button", disabled: !live(), data: { mend: "keep" }, onclick: keep }, icon("check"), gettext("Keep it")),
        h("button", { class: "button", type: "button", data: { mend: "leave" }, onclick: () => store.set({ mending: null }) }, gettext("Leave it"))));
  }

  const moved = ({ was, now }) => interpolate(was && now ? gettext("was taken for “%(was)s”, now for “%(now)s”") : now ? gettext("was not known, now “%(now)s”") : gettext("was “%(was)s”, is not known any more"), { was, now });

  function change({ picture, where, verdict, text }) {
    const [glyph, css] = VERDICTS[verdict] ?? VERDICTS.other;
    return h("li", {}, h("img", { src: store.pictureUrl(picture), alt: "", loading: "lazy" }), h("span", {}, icon(glyph, css), " ", emphasised(text), h("span", { class: "small muted" }, where)));
  }

  // --- the run goes on -------------------------------------------------------------------------------------------------
  function saving(mend) {
    const note = outcome ? [h("p", { class: `notice ${outcome.resumed ? "green" : "amber"}`, role: "status" }, icon(outcome.resumed ? "circle-check" : "alert-triangle"), h("span", {}, interpolate(outcome.resumed ? gettext("Published as version %(n)s; the run goes on with it.") : gettext("Published as version %(n)s. The run does not go on with it:"), { n: outcome.number }), outcome.why ? ` ${outcome.why}` : "")), h("p", {}, h("a", { class: "button", href: mend.url }, gettext("To the run")))] : null;
    if (!mend.can_resume || store.mending) return note;
    const may = store.me.may_publish && store.me.may_operate;
    return h("div", { class: "mend-save" }, note,
      outcome?.resumed ? null : h("button", { class: "button primary", type: "button", disabled: !may || store.saving > 0 || store.keeping, title: may ? "" : gettext("It takes the rights to publish and to operate runs."), id: "save-and-resume", onclick: save }, icon("player-play"), gettext("Save and resume")),
      store.trouble ? h("p", { class: "notice red", role: "alert" }, icon("alert-circle"), h("span", {}, store.trouble)) : null);
  }

  async function save() {
    const answer = await edits.change("resume/", {});
    if (!answer) return void store.set({});
    outcome = { number: answer.version.number, ...answer.run };
    store.set({});
  }

  /** A place on the picture was pointed at: the target as it is here, or the text that says that it is not possible. */
  return (drawing, place) => ask(drawing.kind === "not_possible" ? { what: "not_possible", reason: drawing.reason, ...placeOf(place) } : { what: "target", how: drawing.how, ...placeOf(place) });
}
