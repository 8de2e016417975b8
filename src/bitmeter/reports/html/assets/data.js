// The packed columns of the page: typed arrays behind base64 and zlib, decoded when they are needed.

function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const plain = atob(text);
  const found = new Uint8Array(plain.length);
  for (let i = 0; i < plain.length; i++) found[i] = plain.charCodeAt(i);
  return found;
}

export async function inflated(text) {
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const TYPES = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array };

export async function columnOf(packed) {
  const bytes = await inflated(packed.z);
  return new TYPES[packed.t](bytes.buffer, 0, bytes.byteLength / TYPES[packed.t].BYTES_PER_ELEMENT);
}

/** Offsets from lengths, one more than there are. */
export function cutsOf(lengths) {
  const found = new Uint32Array(lengths.length + 1);
  for (let i = 0, at = 0; i < lengths.length; i++) found[i + 1] = at += lengths[i];
  return found;
}

/** The last index whose offset is not beyond `at`, among ascending offsets of which the last is an end. */
export function indexAt(offsets, at) {
  let low = 0, high = offsets.length - 1;
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (offsets[middle] <= at) low = middle;
    else high = middle;
  }
  return low;
}

const HIDDEN = new Map([[0x2028, 0x21b5], [0x2029, 0x21b5]]);
for (const [from, to] of [[0x202a, 0x202e], [0x2066, 0x2069]]) for (let c = from; c <= to; c++) HIDDEN.set(c, 0x25af);

/** How many bytes the character at an offset has; 0 if it is not UTF-8. */
function sizeAt(bytes, at) {
  const b = bytes[at];
  if (b < 0x80) return 1;
  const size = b >= 0xc2 && b <= 0xdf ? 2 : b >= 0xe0 && b <= 0xef ? 3 : b >= 0xf0 && b <= 0xf4 ? 4 : 0;
  if (!size || at + size > bytes.length) return 0;
  for (let k = 1; k < size; k++) if ((bytes[at + k] & 0xc0) !== 0x80) return 0;
  const second = bytes[at + 1];
  if ((b === 0xe0 && second < 0xa0) || (b === 0xed && second > 0x9f) || (b === 0xf0 && second < 0x90) || (b === 0xf4 && second > 0x8f)) return 0;
  return size;
}

/** The sign that is shown for the character at an offset. */
function codeAt(bytes, at) {
  const size = sizeAt(bytes, at), b = bytes[at];
  if (!size) return 0xfffd;
  let code = size === 2 ? b & 0x1f : size === 3 ? b & 0x0f : b & 0x07;
  for (let k = 1; k < size; k++) code = (code << 6) | (bytes[at + k] & 0x3f);
  return HIDDEN.get(code) ?? (code >= 0x80 && code < 0xa0 ? 0x25af : code);
}

/**
 * The text as it is shown, and where each byte stands in it. Control characters and bytes that are not UTF-8 are shown
 * by one sign each, and a document that does not end in a line end is followed by one.
 */
export class TextData {
  constructor(bytes, words, documents) {
    this.bytes = bytes;
    this.words = words;
    this.documents = documents;
    const ends = documents, n = bytes.length;
    let plain = true, quiet = true;
    for (let i = 0; i < n; i++) {
      const b = bytes[i];
      if (b > 0x7e) { plain = quiet = false; break; }
      if (b < 0x20 && b !== 10 && b !== 9) quiet = false;
    }
    for (let d = 1; plain && d < ends.length - 1; d++) if (ends[d] > ends[d - 1] && bytes[ends[d] - 1] !== 10) plain = false;
    this.at = plain ? null : new Uint32Array(n + 1);
    this.string = plain && quiet ? new TextDecoder().decode(bytes) : this.decoded();
  }

  /** The text sign by sign, with where each byte stands in it. */
  decoded() {
    const { bytes, at, documents: ends } = this, n = bytes.length;
    const units = new Uint16Array(n + ends.length + 1);
    let out = 0, i = 0;
    for (let next = 1; i < n; next++) {
      const stop = next < ends.length ? ends[next] : n, begin = i;
      while (i < stop) {
        const b = bytes[i];
        if ((b >= 0x20 && b < 0x7f) || b === 10) {
          if (at) at[i] = out;
          units[out++] = b;
          i++;
          continue;
        }
        if (b < 0x80) {
          if (at) at[i] = out;
          units[out++] = b === 9 ? 9 : b === 0x7f ? 0x2421 : 0x2400 + b;
          i++;
          continue;
        }
        const size = Math.max(1, sizeAt(bytes, i)), from = out;
        const code = codeAt(bytes, i);
        if (code > 0xffff) {
          units[out++] = 0xd800 + ((code - 0x10000) >> 10);
          units[out++] = 0xdc00 + ((code - 0x10000) & 0x3ff);
        } else units[out++] = code;
        for (let k = 0; k < size; k++) at[i + k] = from;
        i += size;
      }
      if (i > begin && i < n && bytes[i - 1] !== 10) units[out++] = 10;
      if (next >= ends.length) break;
    }
    if (at) at[n] = out;
    return new TextDecoder("utf-16le").decode(units.subarray(0, out));
  }

  /** Where a byte stands in the shown text: that of its character. */
  offset(byte) {
    return this.at ? this.at[byte] : byte;
  }

  /** Whether a character begins at a byte. */
  begins(byte) {
    return !this.at || byte >= this.bytes.length || byte === 0 || this.at[byte] !== this.at[byte - 1];
  }

  slice(from, to) {
    return this.string.slice(this.offset(from), this.offset(to));
  }
}

/** What one model needs for each of its units. */
export class ModelData {
  constructor(entry, run) {
    this.entry = entry;
    this.run = run;
    this.n = entry.n;
    this.detailed = Boolean(entry.h);
  }

  async load() {
    const { entry } = this;
    if (this.cuts) return this;
    this.s = await columnOf(entry.s);
    const lengths = entry.len ? await columnOf(entry.len) : null;
    if (!lengths) { // every unit is one byte
      this.cuts = new Uint32Array(entry.n + 1);
      for (let i = 0; i <= entry.n; i++) this.cuts[i] = i;
    } else if (entry.long) {
      const wide = Uint32Array.from(lengths);
      for (const [index, length] of entry.long) wide[index] = length;
      this.cuts = cutsOf(wide);
    } else this.cuts = cutsOf(lengths);
    const size = this.s.BYTES_PER_ELEMENT === 2 ? 65536 : 256;
    this.table = new Float32Array(size);
    for (let v = 0; v < size; v++) this.table[v] = size === 65536 ? v / 512 : 2 ** (v / 36) - 1;
    this.table[size - 1] = Infinity;
    this.over = new Map(entry.over ?? []);
    return this;
  }

  async loadDetails() {
    const { entry } = this;
    if (this.h || !entry.h) return this;
    this.h = await columnOf(entry.h);
    this.r = await columnOf(entry.r);
    if (entry.at) {
      const gaps = await columnOf(entry.at);
      this.at = new Uint32Array(gaps.length);
      for (let i = 0, sum = 0; i < gaps.length; i++) this.at[i] = sum += gaps[i];
    }
    if (entry.ai) {
      this.ai = await columnOf(entry.ai);
      this.ap = await columnOf(entry.ap);
    }
    return this;
  }

  bits(i) {
    const found = this.table[this.s[i]];
    return this.over.size && this.over.has(i) ? this.over.get(i) : found;
  }

  /** The bits of groups of units, of which the first of each is given. */
  sums(first) {
    const { s, table, over } = this, found = new Float32Array(first.length - 1);
    for (let w = 0; w < found.length; w++) {
      let bits = 0;
      for (let i = first[w], end = first[w + 1]; i < end; i++) bits += table[s[i]];
      found[w] = bits;
    }
    for (const [i, bits] of over) {
      let low = 0, high = first.length - 1;
      while (low + 1 < high) {
        const middle = (low + high) >> 1;
        if (first[middle] <= i) low = middle;
        else high = middle;
      }
      found[low] += bits - table[s[i]];
    }
    return found;
  }

  /** The row of a unit among those that have alternatives; −1 for none. */
  row(i) {
    if (!this.at) return i;
    let low = 0, high = this.at.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.at[middle] < i) low = middle + 1;
      else high = middle;
    }
    return this.at[low] === i ? low : -1;
  }

  entropy(i) {
    const row = this.entry.few ? this.row(i) : i;
    return !this.h || row < 0 ? NaN : this.h[row] / 16;
  }

  rank(i) {
    const row = this.entry.few ? this.row(i) : i;
    return !this.r || row < 0 ? NaN : Math.round(2 ** (this.r[row] / 16));
  }

  alternatives(i) {
    const row = this.ai && this.ap ? this.row(i) : -1; // columns arrive one after the other
    if (row < 0) return [];
    const rows = this.ai.length / this.entry.k, found = [];
    for (let k = 0; k < this.entry.k; k++) {
      const p = this.ap[k * rows + row];
      if (p < 255 || k === 0) found.push({ text: this.entry.vocab[this.ai[k * rows + row]], bits: p / 12 });
    }
    return found;
  }
}

function isSpace(byte) {
  return byte === 32 || (byte >= 9 && byte <= 13);
}

/** Whether every unit is one byte. */
function isIdentity(cuts) {
  for (let i = 0; i < cuts.length; i++) if (cuts[i] !== i) return false;
  return true;
}

/** The first unit of each coarse segment, one more than there are: units belong to where they begin after white space. */
export function firstUnits(text, cuts, coarse) {
  if (cuts.length === text.bytes.length + 1 && cuts[1] === 1 && cuts.at(-1) === text.bytes.length && isIdentity(cuts)) return coarse;
  const n = coarse.length - 1, found = new Uint32Array(n + 1).fill(cuts.length - 1);
  let done = 0;
  for (let i = 0; i < cuts.length - 1; i++) {
    let at = cuts[i];
    const end = cuts[i + 1];
    if (at === end) at = Math.max(0, at - 1);
    else {
      while (at < end && isSpace(text.bytes[at])) at++;
      if (at === end) at = cuts[i];
    }
    // Every segment that ends before this unit has its first unit by now.
    let owner = done > 0 ? done - 1 : 0;
    while (owner < n - 1 && coarse[owner + 1] <= at) owner++;
    while (done <= owner) found[done++] = i;
  }
  return found;
}

/** The offsets at which both models have a boundary. */
export function sharedCuts(first, second) {
  const found = new Uint32Array(Math.min(first.length, second.length));
  let n = 0, j = 0;
  for (let i = 0; i < first.length; i++) {
    if (i && first[i] === first[i - 1]) continue;
    while (j < second.length - 1 && second[j] < first[i]) j++;
    if (second[j] === first[i]) found[n++] = first[i];
  }
  return found.slice(0, n);
}
