/* Where the labels of drawn boxes stand: never on what they name nor on one another and, while there is room anywhere, on
   nothing else that was found there; what stands apart gets a line to its box. Nothing of the page is touched here.
   Boxes are [left, top, width, height], all in one unit. */

const STEPS = [0, 14, 30, 50, 80, 120, 170, 240]; // how far from its box, beside the gap
const NEAR = 2; // further than so many gaps away, a line is drawn

/** The area that two boxes share. */
export function shared(a, b) {
  const width = Math.min(a[0] + a[2], b[0] + b[2]) - Math.max(a[0], b[0]);
  const height = Math.min(a[1] + a[3], b[1] + b[3]) - Math.max(a[1], b[1]);
  return width > 0 && height > 0 ? width * height : 0;
}

const inside = (box, bounds) =>
  box[0] >= bounds[0] && box[1] >= bounds[1] && box[0] + box[2] <= bounds[0] + bounds[2] && box[1] + box[3] <= bounds[1] + bounds[3];

/**
 * A place for each of `tags` ({box, width, height}): {box, line}, or null where there is none.
 *
 * `bounds`: what can be seen. `picture`: what may hold something; outside of it nothing is covered. `walls`: what must not
 * be covered beside the tags' own boxes. `avoid`: what should not be. `gap`: between a box and its tag.
 */
export function placeTags(tags, { bounds, picture = bounds, walls = [], avoid = [], gap = 4 }) {
  const never = [...walls, ...tags.map((tag) => tag.box)];
  const others = avoid.filter((box) => !tags.some((tag) => surrounds(box, tag.box)));
  return tags.map((tag) => {
    const place = best(tag, { bounds, picture, never, others, gap });
    if (!place) return null;
    never.push(place);
    return { box: place, line: distance(place, tag.box) > gap * NEAR ? between(place, tag.box) : null };
  });
}

/** A window around a button is no neighbour of it. */
const surrounds = (box, inner) => shared(box, inner) >= 0.9 * inner[2] * inner[3] && box[2] * box[3] > 1.5 * inner[2] * inner[3];

function best(tag, { bounds, picture, never, others, gap }) {
  let least = Infinity;
  let found = null;
  const places = [...around(tag, bounds, gap), ...outside(tag, bounds, picture, gap)];
  for (const place of places) {
    if (!inside(place, bounds) || never.some((box) => shared(place, box) > 0)) continue;
    const covered = others.reduce((sum, box) => sum + shared(place, box), 0);
    if (covered === 0) return place;
    if (covered < least) [least, found] = [covered, place];
  }
  return found;
}

/** Places beside the box, nearer ones first; at each distance above, below, right, left. */
function* around({ box: [x, y, w, h], width, height }, bounds, gap) {
  const clampX = (left) => Math.max(bounds[0], Math.min(left, bounds[0] + bounds[2] - width));
  const clampY = (top) => Math.max(bounds[1], Math.min(top, bounds[1] + bounds[3] - height));
  for (const step of STEPS) {
    const off = gap * (1 + step / 4);
    for (const top of [y - height - off, y + h + off]) for (const left of [x, x + w - width, x + w / 2 - width / 2]) yield [clampX(left), top, width, height];
    for (const left of [x + w + off, x - width - off]) for (const top of [y + h / 2 - height / 2, y, y + h - height]) yield [left, clampY(top), width, height];
  }
}

/** Places beyond the picture's edges, nearest to the box. */
function outside({ box: [x, y, w, h], width, height }, bounds, [px, py, pw, ph], gap) {
  const left = Math.max(bounds[0], Math.min(x + w / 2 - width / 2, bounds[0] + bounds[2] - width));
  const top = Math.max(bounds[1], Math.min(y + h / 2 - height / 2, bounds[1] + bounds[3] - height));
  const places = [];
  for (let aside = 0; aside <= bounds[2]; aside += gap * 4) {
    for (const side of aside ? [left - aside, left + aside] : [left]) {
      places.push([side, py - height - gap / 2, width, height], [side, py + ph + gap / 2, width, height]);
    }
  }
  for (let aside = 0; aside <= bounds[3]; aside += gap * 4) {
    for (const side of aside ? [top - aside, top + aside] : [top]) {
      places.push([px - width - gap / 2, side, width, height], [px + pw + gap / 2, side, width, height]);
    }
  }
  return places.sort((a, b) => distance(a, [x, y, w, h]) - distance(b, [x, y, w, h]));
}

/** How far two boxes are from one another; 0 where they touch. */
function distance(a, b) {
  const dx = Math.max(a[0] - (b[0] + b[2]), b[0] - (a[0] + a[2]), 0);
  const dy = Math.max(a[1] - (b[1] + b[3]), b[1] - (a[1] + a[3]), 0);
  return Math.hypot(dx, dy);
}

/** The shortest line between two boxes: [x1, y1, x2, y2], from the first to the second. */
function between(a, b) {
  const axis = (start, length, other, otherLength) => {
    const from = Math.max(start, other);
    const to = Math.min(start + length, other + otherLength);
    if (from <= to) return [(from + to) / 2, (from + to) / 2];
    return start > other ? [start, other + otherLength] : [start + length, other];
  };
  const [x1, x2] = axis(a[0], a[2], b[0], b[2]);
  const [y1, y2] = axis(a[1], a[3], b[1], b[3]);
  return [x1, y1, x2, y2];
}
