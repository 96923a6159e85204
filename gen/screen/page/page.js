// One image at a time: shown at once, since the next ones are loaded ahead; decided by a key; the
// decision is sent while the next image is looked at, and comes back into view if it isn't saved.

import { ask, keep, load } from "./load.js";
import { draw } from "./outlines.js";
import { AHEAD, KEYS, POLL, SETTLE } from "./settings.js";
import { alarm, at, empty, figures, notify, picture, reasons, verdict, views } from "./view.js";

let queue; // what the server says of the whole
let items = []; // {id, sha256, accepted}, in the order of showing
let place = -1; // of the image that is shown; -1: none
let turn = 0; // counts calls of show: only the last one may finish
let ready = false; // whether the image in `place` is in view
let asking = null; // "reject" or "again" while a reason is asked for
let outlined = false; // whether outlines are wanted
let sending = Promise.resolve(); // decisions go one after the other
let unsaved = 0; // decisions on their way
let problem = ""; // that the server has
let sent = 0; // decisions so far
const undoable = []; // [item, what was decided before, why]
const stamps = []; // times of decisions, in milliseconds

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
  picture(item, image, about);
  item.reason ??= about.views[0]?.reason ?? "";
  item.views ??= about.views;
  views(item, queue);
  outline(item);
  keep(items.slice(Math.max(0, place - 2), place + 1 + AHEAD).filter((one) => !one.gone));
  if (settle) await new Promise((done) => setTimeout(done, settle));
  if (mine === turn) ready = true;
}

function finish() {
  ++turn;
  ready = false;
  place = -1;
  close();
  empty(items.length
    ? "Nothing left to look at. New images appear here by themselves."
    : `No image here (${queue.only}). New ones appear by themselves.`);
}

function isOpen(item) {
  return !item.gone && (queue.only !== "undecided" || item.accepted === null);
}

function advance() {
  let next = items.findIndex((item, index) => index > place && isOpen(item));
  if (next < 0 && queue.only === "undecided") next = items.findIndex(isOpen);
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
  sent += 1;
  const { id, sha256 } = item;
  sending = sending
    .then(() => ask("/decide", { id, sha256, accepted, reason, again }))
    .then((answer) => {
      Object.assign(item, { views: answer.views, reason });
      if (answer.state.version === queue.version + 1) queue.version += 1; // no news but this
      if (!problem) alarm("");
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
  const apart = item.views.filter((view) => view.accepted !== own.accepted);
  const drawn = queue.together ? "the images that share its places are" : "it is";
  const said = undone
    ? "taken back"
    : verdict(own, queue.reasons) + (again ? `; ${drawn} drawn again` : "");
  const others = apart.map((view) => ` ${view.reviewer} ${verdict(view, queue.reasons)}.`).join("");
  notify(`${item.id}: ${said}.${others}`, apart.length > 0);
  if (items[place] === item) views(item, queue);
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
    draw(canvas, truth);
    canvas.hidden = false;
  } catch (error) {
    notify(error.message);
  }
}

function update(state) {
  figures(state, stamps);
  if (state.problem !== problem) alarm(problem = state.problem);
}

function merge(entries) {
  const known = new Map();
  items.forEach((item, index) => { if (!item.gone) known.set(item.id, index); });
  const current = items[place];
  const shown = queue.only === "undecided" ? 0 : items.length; // the rest was looked at
  for (const [id, sha256, accepted, wanted] of entries) {
    const fresh = { id, sha256, accepted };
    const index = known.get(id);
    if (index === undefined) {
      if (wanted) items.push(fresh);
    } else if (items[index].sha256 !== sha256) {
      items[index].gone = true;
      if (index >= place && place >= 0) items[index] = fresh;
      else items.push(fresh);
    } else if (!unsaved) items[index].accepted = accepted;
  }
  if (place < 0) {
    const next = items.findIndex((item, index) => isOpen(item) && index >= shown);
    if (next >= 0) show(next, SETTLE);
  } else if (items[place] !== current) {
    notify(`${items[place].id} was drawn again; this is the new image.`);
    show(place, SETTLE);
  }
}

async function poll() {
  try {
    const state = await ask("/state");
    if (state.version !== queue.version) {
      const before = sent;
      const found = await ask("/queue");
      if (before === sent) { // else it may not have the latest decision: next time
        queue = found;
        merge(queue.items);
      }
    }
    update(state);
  } catch (error) {
    alarm(problem = error.message);
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
  reasons(queue.reasons);
  finish();
  merge(queue.items);
  poll();
}

addEventListener("click", (event) => {
  const button = event.target.closest("[data-act]");
  const name = button?.dataset.act;
  if (!name || (event.detail > 1 && name === "accept")) return; // of a double click one counts
  act(name);
});
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const key = event.key.toLowerCase();
  const digit = asking && /^[1-9]$/.test(key);
  const name = digit ? at("list").children[key - 1]?.dataset.act : KEYS[key];
  const held = event.repeat && name !== "back" && name !== "next"; // a held key decides once
  if (name || (held && key === "enter")) event.preventDefault();
  if (name && !held) act(name);
});
addEventListener("beforeunload", (event) => { if (unsaved) event.preventDefault(); });
start();
