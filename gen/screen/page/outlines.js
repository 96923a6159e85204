// Outlines and names of objects, drawn over an image from its ground truth.

const FINE = 2; // dots of the canvas for a pixel of the image
const LETTERS = 14; // height of names on the screen, in pixels
const SMALL = 10; // the same on a phone

/** Draw [{name, box: [x, y, width, height], mask: {size: [height, width], counts}}] on a canvas. */
export function draw(canvas, truth) {
  const [height, width] = truth[0].mask.size;
  const shown = canvas.parentElement.clientWidth;
  const [scale, letters] = [shown / width, shown < 500 ? SMALL : LETTERS];
  Object.assign(canvas, { width: width * FINE, height: height * FINE });
  const pen = canvas.getContext("2d");
  pen.scale(FINE, FINE);
  truth.forEach((note, number) => {
    pen.fillStyle = `hsl(${number * 137} 100% 60%)`;
    for (const [x, y] of edge(note.mask.counts, height, width)) pen.fillRect(x, y, 1, 1);
  });
  pen.font = `${letters / scale}px system-ui, sans-serif`;
  for (const { name, box } of truth) {
    const [long, high] = [pen.measureText(name).width + 8 / scale, (letters + 4) / scale];
    const x = Math.max(0, Math.min(box[0], width - long));
    const y = Math.max(0, box[1] - high);
    pen.fillStyle = "rgb(0 0 0 / 80%)";
    pen.fillRect(x, y, long, high);
    pen.fillStyle = "#fff";
    pen.fillText(name, x + 4 / scale, y + high - 5 / scale);
  }
}

/** The pixels just outside a mask, of run lengths by columns: outside and inside in turn. */
function edge(counts, height, width) {
  const inside = new Uint8Array(height * width);
  let from = 0;
  counts.forEach((count, turn) => inside.fill(turn % 2, from, (from += count)));
  const found = [];
  for (let x = 0; x < width; x++) {
    for (let y = 0; y < height; y++) {
      const own = x * height + y;
      const near = (y && inside[own - 1]) || (y < height - 1 && inside[own + 1])
        || inside[own - height] || inside[own + height];
      if (near && !inside[own]) found.push([x, y]);
    }
  }
  return found;
}
