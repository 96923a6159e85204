// What the page can be tuned by.

export const AHEAD = 4; // images that are loaded before they are needed
export const POLL = 2000; // milliseconds between looks for new images
export const SETTLE = 700; // milliseconds in which an image that came by itself can't be decided on
export const KEYS = {
  a: "accept", j: "accept", r: "reject", k: "reject", g: "again", u: "undo", t: "truth",
  arrowleft: "back", arrowright: "next", escape: "cancel",
};
