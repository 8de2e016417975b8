// Requests to the server, with the token that came with the address.

let token = null;

/** The token of an address such as /#token=…, which is kept for this window and taken out of the address. */
export function takeToken() {
  const found = /^#token=([\w-]+)$/.exec(location.hash);
  try {
    if (found) sessionStorage.setItem("bitmeter-token", found[1]);
    token = found?.[1] ?? sessionStorage.getItem("bitmeter-token");
  } catch {
    token = found?.[1] ?? null; // a window without storage
  }
  if (found) history.replaceState(null, "", `${location.pathname}#/`);
}

async function asked(path, { method = "GET", body, content, signal } = {}) {
  const headers = {};
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (content !== undefined) headers["Content-Type"] = "application/octet-stream";
  let answer;
  try {
    answer = await fetch(`/api/${path}`, { method, headers, signal, body: body === undefined ? content : JSON.stringify(body) });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server does not answer. Is `bitmeter serve` still running?");
  }
  if (answer.ok) return answer;
  let detail = `The server answered ${answer.status}.`;
  try {
    detail = (await answer.json()).detail ?? detail;
  } catch {
    // an answer that is not ours has no sentence
  }
  throw Object.assign(new Error(detail[0].toUpperCase() + detail.slice(1)), { status: answer.status });
}

export async function api(path, options) {
  return (await asked(path, options)).json();
}

export async function apiText(path) {
  return (await asked(path)).text();
}
