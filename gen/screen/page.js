"use strict";
// One image at a time: shown at once, since the next ones are loaded ahead; decided by a key; the
// decision is sent while the next image is looked at, and comes back into view if it isn't saved.

const AHEAD = 4; // images that are loaded before they are needed
const POLL = 2000; // milliseconds between looks for new images
const SETTLE = 700; // milliseconds in which an image that came by itself can't be decided on
const KEYS = { a: "accept", j: "accept", r: "reject", k: "reject", g: "again", u: "undo", t: "truth",
  arrowleft: "back", arrowright: "next", escape: "cancel" };
const RECENT = 30; // decisions that the rate is taken from

const at = (id) => document.getElementById(id);
const words = (slug) => slug.replaceAll("_", " ");
let queue; // what the server says of the whole
let items = []; // {id, sha256, accepted}, in the order of showing
let place = -1; // of the image that is shown; -1: none
let turn = 0; // counts calls of show: only the last one may finish
let ready = false; // whether the image in `place` is in view
let asking = null; // "reject" or "again" while a reason is asked for
let outlined = false; // whether outlines are wanted
let sending = Promise.resolve(); // decisions go one after the other
let unsaved = 0;
const loaded = new Map();
const undoable = [];
const stamps = [];

async function ask(path, body) {
  let answer;
  try {
    answer = await fetch(path, body && { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } });
  } catch {
    throw new Error("the server does not answer; start python -m gen.screen again and open its address");
  }
  if (!answer.ok) throw new Error((await answer.text()).trim());
  return answer.json();
}

function alarm(text) {
  at("alarm").textContent = text;
  at("alarm").hidden = !text;
}

function load(item) {
  const key = `${item.id}/${item.sha256}`;
  if (!loaded.has(key)) {
    const image = new Image();
    image.alt = `the image of ${item.id}`;
    image.src = `/image/${key}`;
    const about = ask(`/item/${key}`);
    const both = Promise.all([about, image.decode().catch(() => {
      throw new Error(`the image of ${item.id} can't be shown; its file may be damaged`);
    })]).then(([known]) => ({ image, about: known }));
    both.catch(() => loaded.delete(key));
    loaded.set(key, both);
  }
  return loaded.get(key);
}

async function show(next, settle = 0) {
  const mine = ++turn;
  const item = items[place = next];
  ready = false;
  close();
  let both;
  try {
    both = await load(item);
  } catch (error) {
    if (mine === turn) alarm(error.message);
    return;
  }
  if (mine !== turn) return;
  const { image, about } = both;
  at("picture").replaceChildren(image);
  at("kind").textContent = `${item.id} · ${words(about.kind)} · ${about.n} pairs`;
  at("caption").textContent = about.caption;
  at("pairs").replaceChildren(...about.pairs.map(([look, noun]) => {
    const line = document.createElement("li");
    const bold = document.createElement("b");
    bold.textContent = look;
    line.append(bold, ` ${noun}`);
    return line;
  }));
  item.reason ??= about.views[0]?.reason ?? "";
  item.views ??= about.views;
  views(item);
  outline(item);
  setTimeout(() => { if (mine === turn) ready = true; }, settle);
  if (!settle) ready = true;
  const near = items.slice(Math.max(0, place - 2), place + 1 + AHEAD).filter((one) => !one.gone);
  near.forEach((one) => load(one).catch(() => {}));
  const keep = new Set(near.map((one) => `${one.id}/${one.sha256}`));
  for (const key of loaded.keys()) if (!keep.has(key)) loaded.delete(key);
}

function verdict(view) {
  const reason = view.reason && (queue.reasons.find(([slug]) => slug === view.reason)?.[1] ?? view.reason);
  return (view.accepted ? "accepted" : "rejected") + (reason ? ` (${reason})` : "");
}

function views(item) {
  const list = item.accepted === null ? [] : item.views;
  at("views").hidden = !list.length;
  at("views").replaceChildren(...list.map((view) => {
    const line = document.createElement("li");
    line.textContent = `${view.reviewer === queue.reviewer ? "you" : view.reviewer}: ${verdict(view)}`;
    line.classList.toggle("apart", view.accepted !== item.accepted);
    return line;
  }));
}

function finish() {
  ++turn;
  ready = false;
  place = -1;
  close();
  at("outlines").hidden = true;
  at("views").hidden = true;
  at("pairs").replaceChildren();
  at("kind").textContent = "";
  at("caption").textContent = "";
  at("picture").textContent = items.length
    ? "Nothing left to look at. New images appear here by themselves."
    : `No image here (${queue.only}). New ones appear by themselves.`;
}

function open_(item) {
  return !item.gone && (queue.only !== "undecided" || item.accepted === null);
}

function advance() {
  let next = items.findIndex((item, index) => index > place && open_(item));
  if (next < 0 && queue.only === "undecided") next = items.findIndex(open_);
  if (next < 0) finish(); else show(next);
}

function step(by) {
  let next = (place < 0 ? items.length : place) + by;
  while (items[next]?.gone) next += by;
  if (items[next]) show(next);
}

function decide(accepted, reason = "", again = false) {
  if (!ready) return;
  const item = items[place];
  undoable.push([item, item.accepted, item.reason]);
  stamps.push(performance.now());
  send(item, accepted, reason, again);
  advance();
}

function undo() {
  const last = undoable.pop();
  if (!last) return notify("Nothing to undo.");
  const [item, accepted, reason] = last;
  stamps.pop();
  send(item, accepted, accepted === null ? "" : reason, false, true);
  if (!item.gone) show(items.indexOf(item));
}

function send(item, accepted, reason, again, undone = false) {
  const before = item.accepted;
  item.accepted = accepted;
  unsaved += 1;
  sending = sending
    .then(() => ask("/decide", { id: item.id, sha256: item.sha256, accepted, reason, again }))
    .then((answer) => {
      Object.assign(item, { views: answer.views, reason });
      if (answer.state.version === queue.version + 1) queue.version += 1; // no news but this
      update(answer.state);
      report(item, again, undone);
    })
    .catch((error) => {
      item.accepted = before;
      alarm(`The decision on ${item.id} is not saved: ${error.message}`);
      if (!item.gone) show(items.indexOf(item), SETTLE);
    })
    .finally(() => { unsaved -= 1; });
}

function report(item, again, undone) {
  const own = item.views[0];
  const apart = item.views.filter((view) => view.accepted !== own?.accepted);
  const text = undone ? "taken back" : verdict(own) + (again ? ", is drawn again" : "");
  notify(`${item.id}: ${text}.` + apart.map((view) => ` ${view.reviewer} ${verdict(view)}.`).join(""), apart.length);
  if (items[place] === item) views(item);
}

function notify(text, apart = false) {
  at("notice").textContent = text;
  at("notice").classList.toggle("apart", Boolean(apart));
}

function close() {
  asking = null;
  at("reasons").hidden = true;
  at("actions").hidden = false;
}

function choose(how) {
  if (!ready) return;
  if (asking) return decide(false, "", asking === "again");
  asking = how;
  at("actions").hidden = true;
  at("reasons").hidden = false;
  document.querySelector("[data-act=plain]").focus();
}

function act(name) {
  if (name === "accept" && !asking) decide(true);
  else if (name === "reject" || name === "again") choose(name);
  else if (name === "plain") decide(false, "", asking === "again");
  else if (name === "cancel") close();
  else if (name === "undo") undo();
  else if (name === "back") step(-1);
  else if (name === "next") step(1);
  else if (name === "truth") {
    outlined = !outlined;
    document.querySelector("[data-act=truth]").setAttribute("aria-pressed", outlined);
    if (items[place]) outline(items[place]);
  } else if (name.startsWith("why-") && asking) decide(false, name.slice(4), asking === "again");
}

async function outline(item) {
  const canvas = at("outlines");
  canvas.hidden = true;
  if (!outlined) return;
  try {
    const truth = await ask(`/truth/${item.id}/${item.sha256}`);
    if (items[place] !== item || !outlined) return;
    if (!truth.length) return notify("Nobody knows where the objects of this image are.");
    drawOutlines(canvas, truth);
    canvas.hidden = false;
  } catch (error) {
    notify(error.message);
  }
}

function drawOutlines(canvas, truth) {
  const [height, width] = truth[0].mask.size;
  const scale = canvas.parentElement.clientWidth / width;
  Object.assign(canvas, { width: width * 2, height: height * 2 });
  const pen = canvas.getContext("2d");
  pen.scale(2, 2);
  truth.forEach((note, number) => {
    pen.fillStyle = `hsl(${number * 137} 100% 60%)`;
    for (const [x, y] of edge(note.mask, height, width)) pen.fillRect(x - 0.5, y - 0.5, 2, 2);
  });
  pen.font = `${14 / scale}px system-ui, sans-serif`;
  for (const { name, box } of truth) {
    const [long, high] = [pen.measureText(name).width + 8 / scale, 18 / scale];
    const x = Math.max(0, Math.min(box[0], width - long));
    const y = Math.max(0, box[1] - high);
    pen.fillStyle = "rgb(0 0 0 / 80%)";
    pen.fillRect(x, y, long, high);
    pen.fillStyle = "#fff";
    pen.fillText(name, x + 4 / scale, y + high - 5 / scale);
  }
}

function edge(mask, height, width) { // of run lengths by columns: outside and inside in turn
  const inside = new Uint8Array(height * width);
  let from = 0;
  mask.counts.forEach((count, turn) => inside.fill(turn % 2, from, from += count));
  const found = [];
  for (let x = 0; x < width; x++) for (let y = 0; y < height; y++) {
    const own = x * height + y;
    if (!inside[own]) continue;
    if (!x || !y || x === width - 1 || y === height - 1 || !inside[own - 1] || !inside[own + 1]
      || !inside[own - height] || !inside[own + height]) found.push([x, y]);
  }
  return found;
}

function spent(minutes) {
  return minutes < 60 ? `${Math.max(1, Math.round(minutes))} min` : `${Math.floor(minutes / 60)} h ${Math.round(minutes % 60)} min`;
}

function update(state) {
  at("progress").max = state.images;
  at("progress").value = state.accepted + state.rejected;
  const recent = stamps.slice(-RECENT);
  const minutes = (recent.at(-1) - recent[0]) / 60000;
  const rate = recent.length > 2 ? (recent.length - 1) / minutes : 0;
  const missing = state.images - state.there;
  at("figures").textContent = [
    `${(state.accepted + state.rejected).toLocaleString("en")} of ${state.images.toLocaleString("en")} decided`,
    `${state.rejected.toLocaleString("en")} rejected`,
    missing && `${missing.toLocaleString("en")} not made yet`,
    rate && `${rate.toFixed(0)} a minute, ${spent(state.undecided / rate)} left`,
    state.redrawing.length && `drawing again: ${state.redrawing.length}`,
  ].filter(Boolean).join(" · ");
  if (state.problem !== update.problem) alarm(update.problem = state.problem);
}

function merge(entries) {
  const known = new Map();
  items.forEach((item, index) => { if (!item.gone) known.set(item.id, index); });
  const current = items[place];
  for (const [id, sha256, accepted, wanted] of entries) {
    const fresh = { id, sha256, accepted };
    const index = known.get(id);
    if (index === undefined) {
      if (wanted) items.push(fresh);
    } else if (items[index].sha256 !== sha256) {
      items[index].gone = true;
      if (index >= place && place >= 0) items[index] = fresh; else items.push(fresh);
    } else if (!unsaved) items[index].accepted = accepted;
  }
  if (place < 0) {
    const next = items.findIndex(open_);
    if (next >= 0 && (queue.only === "undecided" || !current && !undoable.length)) show(next, SETTLE);
  } else if (items[place] !== current) {
    notify(`${items[place].id} was drawn again; this is the new image.`);
    show(place, SETTLE);
  }
}

async function poll() {
  try {
    const state = await ask("/state");
    if (state.version !== queue.version) {
      queue = await ask("/queue");
      merge(queue.items);
    }
    update(state);
  } catch (error) {
    update.problem = error.message;
    alarm(error.message);
  }
  setTimeout(poll, POLL);
}

async function start() {
  history.replaceState(null, "", "/"); // the token stays out of sight
  try {
    queue = await ask("/queue");
  } catch (error) {
    return alarm(error.message);
  }
  at("who").textContent = `${queue.reviewer} · ${queue.folder}`;
  document.title = `Screening ${queue.folder}`;
  at("list").replaceChildren(...queue.reasons.map(([slug, text], index) => {
    const button = document.createElement("button");
    const key = document.createElement("kbd");
    button.type = "button";
    button.dataset.act = `why-${slug}`;
    key.textContent = index + 1;
    button.append(`${text} `, key);
    return button;
  }));
  finish();
  merge(queue.items);
  poll();
}

addEventListener("click", (event) => {
  const button = event.target.closest("[data-act]");
  if (button) act(button.dataset.act);
});
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const key = event.key.toLowerCase();
  const name = asking && /^[1-9]$/.test(key) ? at("list").children[key - 1]?.dataset.act : KEYS[key];
  if (!name || (event.repeat && name !== "back" && name !== "next")) return; // a held key decides once
  event.preventDefault();
  act(name);
});
addEventListener("beforeunload", (event) => { if (unsaved) event.preventDefault(); });
start();
