// The state of the page in its address: what stands after # is never sent to a server.

const LONGEST = 12000;

function packedText(bytes) {
  let plain = "";
  for (const byte of bytes) plain += String.fromCharCode(byte);
  return btoa(plain).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

/** An address for a text, its models and how documents end; null if the text is too long for one. */
export async function addressOf({ text, models, docs, unit }) {
  if (text.length > LONGEST) return null;
  const packed = packedText(await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(text)));
  const query = new URLSearchParams({ models: models.join(","), docs, unit, text: packed });
  return `${location.origin}${location.pathname}#/?${query}`;
}

/** What an address says; what it does not, or what cannot be read, is left out. */
export async function stateOf(query) {
  const given = new URLSearchParams(query), found = {};
  if (given.get("models")) found.models = given.get("models").split(",").slice(0, 6);
  if (["file", "line", "blank"].includes(given.get("docs"))) found.docs = given.get("docs");
  if (["byte", "token", "word"].includes(given.get("unit"))) found.unit = given.get("unit");
  if (given.get("text")) {
    try {
      const plain = atob(given.get("text").replace(/-/g, "+").replace(/_/g, "/"));
      const bytes = await through(new DecompressionStream("deflate-raw"), Uint8Array.from(plain, (sign) => sign.charCodeAt(0)));
      found.text = new TextDecoder("utf-8", { fatal: true }).decode(bytes).slice(0, LONGEST);
    } catch {
      found.problem = "The text of this address is damaged, so an example is shown.";
    }
  }
  return found;
}
