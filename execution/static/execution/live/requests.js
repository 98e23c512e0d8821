/* Answers and wishes: by HTTP, and the server says who won. */

import { announce } from "../../rpa_site/dom.js";
import { post } from "../../rpa_site/post.js";
import { interpolate } from "../../rpa_site/words.js";

/** What a button says while its wish is on its way. */
export const ASKED = { pause: gettext("Pausing …"), stop: gettext("Stopping …"), resume: gettext("Resuming …"), take_control: gettext("Taking control …") };

export async function decide(store, answer) {
  const { prompt } = store;
  const isAnother = () => store.prompt && store.prompt.prompt_id !== prompt.prompt_id; // that nothing is asked may be heard before the reply
  store.set({ answer: { status: "sending", choice: answer.choice } });
  try {
    await post(store.run.decide, { prompt_id: prompt.prompt_id, ...answer });
  } catch (refusal) {
    const lost = refusal.status === 409;
    if (lost) store.set({ lost: refusal.message });
    if (isAnother()) return;
    if (!store.prompt) return void store.set({ answer: null }); // there is nothing left to answer, and no button
    // a lost race leaves the buttons off: there is nothing left to answer
    store.set({ answer: { status: lost ? "refused" : "failed", choice: answer.choice, sentence: refusal.message }, correcting: store.correcting && !lost, picking: store.picking && !lost });
    return;
  }
  if (!isAnother() && store.answer?.status === "sending") {
    store.set({ answer: { status: "given", choice: answer.choice, who: null }, correcting: false, picking: false });
  }
}

/** Later runs press that button in the dialog by themselves; what the server refuses, as in `control`. */
export async function remember(store, press) {
  store.set({ wishing: "resume", refusal: "" });
  try {
    const { version } = await post(store.run.remember, { press });
    announce(interpolate(version ? gettext("Version %(n)s presses it by itself.") : gettext("The draft presses it by itself. It has other changes: publish it for later runs."), { n: version }));
    store.set({ wishing: "" });
  } catch (refusal) {
    store.set({ wishing: "", refusal: refusal.message });
    return refusal;
  }
}

/** What the server refuses, as it said; nothing where it did not. */
export async function control(store, wish) {
  store.set({ wishing: wish.verb, refusal: "" });
  try {
    await post(store.run.control, wish);
    if (wish.verb === "set_mode") store.set({ wishing: "", execution: { ...store.execution, wish_mode: wish.mode } });
    if (wish.verb === "lift_degraded") store.set({ wishing: "", execution: { ...store.execution, degraded: false, degraded_reason: "" } });
  } catch (refusal) {
    store.set({ wishing: "", refusal: refusal.message });
    return refusal;
  }
}
