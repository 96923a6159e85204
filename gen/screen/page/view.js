// What is written on the page. Text is set as text, never as markup.

const RECENT = 30; // decisions that the rate is taken from

export const at = (id) => document.getElementById(id);
const words = (slug) => slug.replaceAll("_", " ");
const count = (number) => number.toLocaleString("en");

function element(name, ...content) {
  const made = document.createElement(name);
  made.append(...content);
  return made;
}

/** Something is wrong: said until there is something else to say. */
export function alarm(text) {
  at("alarm").textContent = text;
  at("alarm").hidden = !text;
}

/** What became of the last decision; in bold where reviewers disagree. */
export function notify(text, apart = false) {
  at("notice").textContent = text;
  at("notice").classList.toggle("apart", apart);
}

/** An image beside what it is to show. */
export function picture(item, image, about) {
  at("picture").replaceChildren(image);
  at("kind").textContent = `${item.id} · ${words(about.kind)} · ${about.n} pairs`;
  at("caption").textContent = about.caption;
  at("pairs").replaceChildren(
    ...about.pairs.map(([look, noun]) => element("li", element("b", look), ` ${noun}`)),
  );
}

/** No image, but why. */
export function empty(text) {
  for (const id of ["kind", "caption", "pairs"]) at(id).replaceChildren();
  at("picture").textContent = text;
  at("outlines").hidden = true;
  at("views").hidden = true;
}

/** A decision in words. */
export function verdict(view, reasons) {
  const known = reasons.find(([slug]) => slug === view.reason);
  const reason = view.reason && ` (${known ? known[1] : view.reason})`;
  return (view.accepted ? "accepted" : "rejected") + reason;
}

/** All decisions on an image that was decided on; what differs in bold. */
export function views(item, queue) {
  const shown = item.accepted === null ? [] : item.views;
  at("views").hidden = !shown.length;
  at("views").replaceChildren(...shown.map((view) => {
    const who = view.reviewer === queue.reviewer ? "you" : view.reviewer;
    const line = element("li", `${who}: ${verdict(view, queue.reasons)}`);
    line.classList.toggle("apart", view.accepted !== item.accepted);
    return line;
  }));
}

/** The reasons as buttons, with the keys 1, 2, 3 ... */
export function reasons(known) {
  at("list").replaceChildren(...known.map(([slug, text], index) => {
    const button = element("button", element("kbd", String(index + 1)), ` ${text}`);
    button.type = "button";
    button.dataset.act = `why-${slug}`;
    return button;
  }));
}

/** How far one is, how fast, how long it takes; `stamps` are milliseconds of decisions. */
export function figures(state, stamps) {
  at("progress").max = state.images;
  at("progress").value = state.accepted + state.rejected;
  const recent = stamps.slice(-RECENT);
  const minutes = (recent.at(-1) - recent[0]) / 60000;
  const rate = recent.length > 2 ? (recent.length - 1) / minutes : 0;
  at("figures").textContent = [
    `${count(state.accepted + state.rejected)} of ${count(state.images)} decided`,
    `${count(state.rejected)} rejected`,
    state.images > state.there && `${count(state.images - state.there)} not made yet`,
    rate && `${rate.toFixed(0)} a minute, ${spent(state.undecided / rate)} left`,
    state.redrawing.length && `drawing again: ${state.redrawing.length}`,
  ].filter(Boolean).join(" · ");
}

function spent(minutes) {
  if (minutes < 60) return `${Math.max(1, Math.round(minutes))} min`;
  return `${Math.floor(minutes / 60)} h ${Math.round(minutes % 60)} min`;
}
