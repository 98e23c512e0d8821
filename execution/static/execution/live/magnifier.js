/* The magnifier, for fingers: what lies under the point, and moving it by single pixels. */

import { h, icon } from "../../rpa_site/dom.js";

const MAGNIFIED = 3;
const NUDGES = { up: gettext("Up by one pixel"), down: gettext("Down by one pixel"), left: gettext("Left by one pixel"), right: gettext("Right by one pixel") };

export function makeMagnifier(correction) {
  const canvas = h("canvas", { role: "img", "aria-label": gettext("Magnifier: drag to move the cross") });
  const nudge = (name, glyph, dx, dy) => h("button", { class: name, type: "button", "aria-label": NUDGES[name], onclick: () => correction.nudge(dx, dy) }, icon(glyph));
  const element = h("div", { class: "magnifier" }, canvas,
    h("div", { class: "nudges" }, nudge("up", "chevron-up", 0, -1), nudge("left", "chevron-left", -1, 0), nudge("right", "chevron-right", 1, 0), nudge("down", "chevron-down", 0, 1)));
  let last = null;
  canvas.addEventListener("pointerdown", (event) => {
    last = event;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!last) return;
    correction.nudge((last.clientX - event.clientX) / MAGNIFIED, (last.clientY - event.clientY) / MAGNIFIED);
    last = event;
  });
  for (const kind of ["pointerup", "pointercancel"]) canvas.addEventListener(kind, () => (last = null));
  return {
    element,
    show() {
      const point = correction.target?.point;
      element.classList.toggle("on", Boolean(point) && matchMedia("(pointer: coarse), (max-width: 767px)").matches);
      if (element.classList.contains("on")) requestAnimationFrame(() => magnify(canvas, correction));
    },
  };
}

function magnify(canvas, { target, picture: { image } }) {
  if (!target?.point) return;
  const ratio = window.devicePixelRatio || 1;
  const [cw, ch] = [canvas.clientWidth, canvas.clientHeight];
  Object.assign(canvas, { width: cw * ratio, height: ch * ratio });
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  pen.imageSmoothingEnabled = false;
  const [x, y] = [target.point[0] * image.naturalWidth, target.point[1] * image.naturalHeight];
  const [sw, sh] = [cw / MAGNIFIED, ch / MAGNIFIED];
  pen.drawImage(image, x - sw / 2, y - sh / 2, sw, sh, 0, 0, cw, ch);
  if (target.box) {
    const [bx, by, bw, bh] = target.box.map((v, i) => v * (i % 2 ? image.naturalHeight : image.naturalWidth));
    pen.strokeStyle = "#1fa33a";
    pen.lineWidth = 2;
    pen.strokeRect((bx - x) * MAGNIFIED + cw / 2, (by - y) * MAGNIFIED + ch / 2, bw * MAGNIFIED, bh * MAGNIFIED);
  }
  for (const [colour, thick] of [["#ffffff", 4], ["#d6246e", 2]]) {
    pen.strokeStyle = colour;
    pen.lineWidth = thick;
    pen.beginPath();
    pen.moveTo(cw / 2 - 14, ch / 2);
    pen.lineTo(cw / 2 + 14, ch / 2);
    pen.moveTo(cw / 2, ch / 2 - 14);
    pen.lineTo(cw / 2, ch / 2 + 14);
    pen.stroke();
  }
}
