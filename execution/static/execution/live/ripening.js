/* A question that has just come was not meant by a key or a click for something else: for a moment it takes no answer. */

import { all } from "../../rpa_site/dom.js";

export class Ripening {
  /** Of the buttons in `element`, whoever draws them meanwhile makes them aria-disabled. */
  constructor(element, ms) {
    Object.assign(this, { element, ms, until: 0 });
  }

  begin() {
    this.until = performance.now() + this.ms;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => all("[aria-disabled]", this.element).forEach((button) => button.removeAttribute("aria-disabled")), this.ms);
  }

  get isOn() {
    return performance.now() < this.until;
  }
}
