// Talking to the server, and images that are there before they are needed.

const loaded = new Map();

/** The answer to a question, or to a decision. Throws an error with a line to show. */
export async function ask(path, decision) {
  const how = decision && {
    method: "POST",
    body: JSON.stringify(decision),
    headers: { "Content-Type": "application/json" },
  };
  let answer;
  try {
    answer = await fetch(path, how);
  } catch {
    throw new Error("the server does not answer; start python -m gen.screen again");
  }
  if (!answer.ok) throw new Error((await answer.text()).trim());
  return answer.json();
}

const key = (item) => `${item.id}/${item.sha256}`;

/** {image, about}: the image, ready to be seen, and what it is to show. */
export function load(item) {
  if (!loaded.has(key(item))) {
    const both = fetchBoth(item);
    both.catch(() => loaded.delete(key(item)));
    loaded.set(key(item), both);
  }
  return loaded.get(key(item));
}

async function fetchBoth(item) {
  const image = new Image();
  image.alt = `the image of ${item.id}`;
  image.src = `/image/${key(item)}`;
  const decoded = image.decode().catch(() => {
    throw new Error(`the image of ${item.id} can't be shown; its file may be damaged`);
  });
  const [about] = await Promise.all([ask(`/item/${key(item)}`), decoded]);
  return { image, about };
}

/** Load these images, forget all others. */
export function keep(items) {
  for (const item of items) load(item).catch(() => {});
  const wanted = new Set(items.map(key));
  for (const known of loaded.keys()) if (!wanted.has(known)) loaded.delete(known);
}
