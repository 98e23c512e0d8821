/* Changes of the draft: rows, so they go by HTTP, with a desktop and without. The answer is the draft as it is then. */

import { announce } from "../../rpa_site/dom.js";
import { post } from "../../rpa_site/post.js";

export class Edits {
  constructor(store) {
    this.store = store;
  }

  /** Posts to a part of the lesson; true where it was done, else the refusal is said. */
  async change(path, body) {
    const { store } = this;
    store.set({ saving: store.saving + 1 });
    try {
      const answer = await post(store.at.api + path, body);
      store.set({ saving: store.saving - 1, trouble: "" });
      if (answer.lesson) store.takeDraft(answer.lesson);
      return answer;
    } catch (refusal) {
      store.set({ saving: store.saving - 1, trouble: refusal.message, refused: store.rev });
      announce(refusal.message);
      return null;
    }
  }

  workflow(changes) {
    return this.change("workflow/", changes);
  }

  screen(nodeId, changes) {
    return this.change(`screens/${encodeURIComponent(nodeId)}/`, changes);
  }

  step(index, changes) {
    return this.change(`steps/${index}/`, changes);
  }

  removeStep(index) {
    return this.change(`steps/${index}/remove/`, {});
  }

  variable(name, changes) {
    return this.change(`variables/${encodeURIComponent(name)}/`, changes);
  }

  removeVariable(name) {
    return this.change(`variables/${encodeURIComponent(name)}/remove/`, {});
  }

  /** What the draft changes of the newest version; null where that cannot be said. */
  async changes() {
    try {
      return await post(`${this.store.at.api}changes/`, undefined, { method: "GET", body: undefined });
    } catch (refusal) {
      this.store.set({ trouble: refusal.message });
      return null;
    }
  }

  publish(note) {
    return this.change("publish/", { note });
  }

  end() {
    return this.change("end/", {});
  }
}
