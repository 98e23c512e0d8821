/* Where two pictures differ, as boxes: squares that changed, put together where they touch. */

const TILE = 16; // pixels
const NOTICED = 12; // of 255: what a picture's compression may do by itself is less
const MOST = 40;

/** Boxes in fractions of the picture; null where the two cannot be compared. */
export async function changedBoxes(before, after) {
  const [one, other] = await Promise.all([pixels(before), pixels(after)]);
  if (!one || !other || one.width !== other.width || one.height !== other.height) return null;
  const across = Math.ceil(one.width / TILE);
  const down = Math.ceil(one.height / TILE);
  const changed = new Uint8Array(across * down);
  for (let y = 0; y < one.height; y += 1) {
    const row = Math.floor(y / TILE) * across;
    for (let x = 0; x < one.width; x += 1) {
      const at = (y * one.width + x) * 4;
      if (Math.abs(one.data[at] - other.data[at]) > NOTICED || Math.abs(one.data[at + 1] - other.data[at + 1]) > NOTICED || Math.abs(one.data[at + 2] - other.data[at + 2]) > NOTICED) {
        changed[row + Math.floor(x / TILE)] = 1;
        x = (Math.floor(x / TILE) + 1) * TILE - 1; // one pixel is enough for its square
      }
    }
  }
  return together(changed, across, down).map(([left, top, right, bottom]) => [
    (left * TILE) / one.width, (top * TILE) / one.height,
    (Math.min(one.width, (right + 1) * TILE) - left * TILE) / one.width, (Math.min(one.height, (bottom + 1) * TILE) - top * TILE) / one.height,
  ]);
}

async function pixels(url) {
  const image = new Image();
  image.src = url;
  try {
    await image.decode();
  } catch {
    return null;
  }
  const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  pen.drawImage(image, 0, 0);
  return pen.getImageData(0, 0, canvas.width, canvas.height);
}

/** The bounds of what hangs together, the largest first. */
function together(changed, across, down) {
  const found = [];
  for (let start = 0; start < changed.length; start += 1) {
    if (!changed[start]) continue;
    const bounds = [across, down, 0, 0];
    const open = [start];
    changed[start] = 0;
    while (open.length) {
      const at = open.pop();
      const [x, y] = [at % across, Math.floor(at / across)];
      bounds[0] = Math.min(bounds[0], x);
      bounds[1] = Math.min(bounds[1], y);
      bounds[2] = Math.max(bounds[2], x);
      bounds[3] = Math.max(bounds[3], y);
      for (const [nx, ny] of [[x - 1, y], [x + 1, y], [x, y - 1], [x, y + 1]]) {
        const next = ny * across + nx;
        if (nx < 0 || ny < 0 || nx >= across || ny >= down || !changed[next]) continue;
        changed[next] = 0;
        open.push(next);
      }
    }
    found.push(bounds);
  }
  const area = ([left, top, right, bottom]) => (right - left + 1) * (bottom - top + 1);
  return found.sort((a, b) => area(b) - area(a)).slice(0, MOST);
}
